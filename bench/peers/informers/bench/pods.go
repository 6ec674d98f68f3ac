// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// podInformer is an informer of pods, and its handler, which counts.
type podInformer struct {
	pods    coreinformers.PodInformer
	cache   cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
}

func newPodInformer(client kubernetes.Interface, namespace string, handler cache.ResourceEventHandlerFuncs) (podInformer, error) {
	pods := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)).Core().V1().Pods()
	informer := podInformer{pods: pods, cache: pods.Informer()}
	var err error
	informer.handler, err = informer.cache.AddEventHandler(handler)
	return informer, err
}

func (p podInformer) start() { go p.cache.RunWithContext(context.Background()) }

func (p podInformer) waitForSync() {
	for !p.cache.HasSynced() || !p.handler.HasSynced() {
		time.Sleep(time.Millisecond)
	}
}

func countUpdates(told *atomic.Int64) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) { told.Add(1) }}
}

func countAll(told *atomic.Int64) cache.ResourceEventHandlerFuncs {
	counts := countUpdates(told)
	counts.AddFunc = func(any) { told.Add(1) }
	return counts
}

// waitFor waits until so many were told.
func waitFor(told *atomic.Int64, count int64) {
	for told.Load() < count {
		time.Sleep(time.Millisecond)
	}
}
