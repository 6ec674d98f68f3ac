// SPDX-License-Identifier: Apache-2.0

// What a Go program writes when it serves its informer's cache over HTTP: the peer of a cache server
// in bench/serve. A client-go informer of pods with an index by namespace, and net/http:
//
//	GET /api/v1/namespaces/NAMESPACE/pods/NAME
//	GET /api/v1/namespaces/NAMESPACE/pods
//	GET /api/v1/namespaces/NAMESPACE/pods?watch=1  events from now on, one line each
//
// It takes the server's URL, or the path of a kubeconfig, and for TLS the files of a certificate and
// its key; listens on a free loopback port, prints "ready URL" after the informer's sync, and ends
// with its standard input.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// watchers sends each event to those of its namespace, encoded once. A watcher that is 1,000 events
// behind is dropped.
type watchers struct {
	mutex sync.Mutex
	of    map[string]map[chan []byte]struct{}
}

func (w *watchers) send(kind string, object any) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return // a tombstone
	}
	line, err := json.Marshal(struct {
		Type   string      `json:"type"`
		Object *corev1.Pod `json:"object"`
	}{kind, pod})
	check(err)
	line = append(line, '\n')
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all := w.of[pod.Namespace]
	for each := range all {
		select {
		case each <- line:
		default:
			delete(all, each)
			close(each)
		}
	}
}

func (w *watchers) serve(response http.ResponseWriter, request *http.Request) {
	events := make(chan []byte, 1000)
	namespace := request.PathValue("namespace")
	w.mutex.Lock()
	if w.of[namespace] == nil {
		w.of[namespace] = map[chan []byte]struct{}{}
	}
	w.of[namespace][events] = struct{}{}
	w.mutex.Unlock()
	defer func() {
		w.mutex.Lock()
		delete(w.of[namespace], events)
		w.mutex.Unlock()
	}()
	response.Header().Set("Content-Type", "application/json")
	flusher := response.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case line, open := <-events:
			if !open {
				return
			}
			if _, err := response.Write(line); err != nil {
				return
			}
			flusher.Flush()
		case <-request.Context().Done():
			return
		}
	}
}

func answer(response http.ResponseWriter, document any) {
	response.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(document)
	check(err)
	_, _ = response.Write(text)
}

// typed is how an object is shown: informers drop kind and apiVersion.
func typed(pod *corev1.Pod) *corev1.Pod {
	out := *pod
	out.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	return &out
}

func main() {
	config := &rest.Config{Host: os.Args[1]}
	if !strings.Contains(os.Args[1], "://") {
		var err error
		config, err = clientcmd.BuildConfigFromFlags("", os.Args[1])
		check(err)
	}
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	lister := factory.Core().V1().Pods().Lister()
	listening := &watchers{of: map[string]map[chan []byte]struct{}{}}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { listening.send("ADDED", object) },
		UpdateFunc: func(_, object any) { listening.send("MODIFIED", object) },
		DeleteFunc: func(object any) { listening.send("DELETED", object) },
	})
	check(err)
	factory.StartWithContext(context.Background())
	factory.WaitForCacheSync(context.Background().Done())

	http.HandleFunc("GET /api/v1/namespaces/{namespace}/pods/{name}", func(w http.ResponseWriter, r *http.Request) {
		pod, err := lister.Pods(r.PathValue("namespace")).Get(r.PathValue("name"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		answer(w, typed(pod))
	})
	http.HandleFunc("GET /api/v1/namespaces/{namespace}/pods", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			listening.serve(w, r)
			return
		}
		found, err := informer.GetIndexer().ByIndex(cache.NamespaceIndex, r.PathValue("namespace"))
		check(err)
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
		for _, each := range found {
			list.Items = append(list.Items, *each.(*corev1.Pod))
		}
		answer(w, list)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	port := listener.Addr().(*net.TCPAddr).Port
	if len(os.Args) == 4 {
		fmt.Printf("ready https://127.0.0.1:%d\n", port)
		go func() { check(http.ServeTLS(listener, nil, os.Args[2], os.Args[3])) }()
	} else {
		fmt.Printf("ready http://127.0.0.1:%d\n", port)
		go func() { check(http.Serve(listener, nil)) }()
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}
