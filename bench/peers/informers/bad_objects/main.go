// SPDX-License-Identifier: Apache-2.0

// The informer of bench/bad_objects on client-go: pods with a transform and a handler that takes
// 10 ms a pod.
//
//	bad_objects URL SECONDS
//
// It waits for the sync, at most so long, and prints, separated by tabs: the seconds until it (0:
// never), the pods of the cache, how many lists and watches failed, and the last of their errors.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bad_objects:", err)
		os.Exit(1)
	}
}

// failures counts the errors of lists and watches.
type failures struct {
	mutex sync.Mutex
	count int
	last  error
}

func (f *failures) add(_ context.Context, _ *cache.Reflector, err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.count++
	f.last = err
}

func main() {
	// Both sides list; the initial state is not streamed.
	check(os.Setenv("KUBE_FEATURE_WatchListClient", "false"))
	limit, err := strconv.Atoi(os.Args[2])
	check(err)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: os.Args[1], QPS: -1})
	check(err)
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	check(informer.SetTransform(func(object any) (any, error) {
		pod, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		pod.SetManagedFields(nil)
		return object, nil
	}))
	failed := &failures{}
	check(informer.SetWatchErrorHandlerWithContext(failed.add))
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { time.Sleep(10 * time.Millisecond) },
	})
	check(err)
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(limit)*time.Second)
	defer cancel()
	go informer.RunWithContext(ctx)
	seconds := 0.0
	for ctx.Err() == nil {
		if informer.HasSynced() {
			seconds = time.Since(begin).Seconds()
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	failed.mutex.Lock()
	defer failed.mutex.Unlock()
	last := ""
	if failed.last != nil {
		last = strings.Join(strings.Fields(failed.last.Error()), " ")
	}
	fmt.Printf("%.3f\t%d\t%d\t%s\n", seconds, len(informer.GetStore().List()), failed.count, last)
}
