// SPDX-License-Identifier: Apache-2.0

// Readers and writers of pods on client-go, for tests/serve/readers.sh.
//
//	readers hold -n 15 -until NAMESPACE/NAME   informers until each has the pod, then what each holds
//	readers list                               what the server lists, in the same form
//	readers change -n 4000                     creates, changes and deletes pods, then creates the pod
//	                                           that the others wait for
//
// A state is lines "NAMESPACE/NAME RESOURCEVERSION SHA256", in order; the digest is that of the pod's
// JSON as client-go writes it. `hold` writes one file a reader, and prints a digest of each.
//
// -server URL names a server without credentials; else $KUBECONFIG counts.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "readers:", err)
		os.Exit(1)
	}
}

func newClient(server, agent string) *kubernetes.Clientset {
	config := &rest.Config{Host: server}
	if server == "" {
		var err error
		config, err = clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
		check(err)
	}
	config.UserAgent = agent
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	check(err)
	return client
}

func line(pod *corev1.Pod) string {
	text, err := json.Marshal(pod)
	check(err)
	return fmt.Sprintf("%s/%s %s %x\n", pod.Namespace, pod.Name, pod.ResourceVersion, sha256.Sum256(text))
}

func state(pods []*corev1.Pod) string {
	lines := make([]string, 0, len(pods))
	for _, pod := range pods {
		lines = append(lines, line(pod))
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}

// hold returns the state of an informer once it has the pod `until`.
func hold(ctx context.Context, server, until string) string {
	factory := informers.NewSharedInformerFactory(newClient(server, "readers-hold"), 0)
	informer := factory.Core().V1().Pods().Informer()
	seen := make(chan struct{})
	var once sync.Once
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		if pod := object.(*corev1.Pod); pod.Namespace+"/"+pod.Name == until {
			once.Do(func() { close(seen) })
		}
	}})
	check(err)
	factory.StartWithContext(ctx)
	select {
	case <-seen:
	case <-ctx.Done():
		check(fmt.Errorf("an informer has no pod %s: %w", until, ctx.Err()))
	}
	pods := []*corev1.Pod{}
	for _, object := range informer.GetStore().List() {
		pods = append(pods, object.(*corev1.Pod))
	}
	return state(pods)
}

func holdAll(ctx context.Context, count int, server, until, folder string) {
	var readers sync.WaitGroup
	for reader := range count {
		readers.Go(func() {
			text := hold(ctx, server, until)
			file := filepath.Join(folder, fmt.Sprintf("informer-%02d", reader))
			check(os.WriteFile(file, []byte(text), 0o600))
			fmt.Printf("informer-%02d holds %d pods, %x\n", reader, strings.Count(text, "\n"), sha256.Sum256([]byte(text)))
		})
	}
	readers.Wait()
}

func list(ctx context.Context, server string) {
	found, err := newClient(server, "readers-list").CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	check(err)
	pods := []*corev1.Pod{}
	for i := range found.Items {
		pods = append(pods, &found.Items[i])
	}
	fmt.Print(state(pods))
}

func pod(namespace, name, app string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/" + app + ":1"}}},
	}
}

// change makes `count` changes by eight writers: each creates pods, changes their labels three times
// and deletes every fourth. Their names begin with that of the pod that is created last.
func change(ctx context.Context, server string, count int, until string) {
	const writers, each = 8, 5
	client := newClient(server, "readers-change")
	lastNamespace, lastName, _ := strings.Cut(until, "/")
	apps := []string{"web", "db", "cache", "batch"}
	deletion := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			namespace := fmt.Sprintf("readers-%d", writer%3)
			for i := 0; i < count/writers/each; i++ {
				name := fmt.Sprintf("%s-w%d-%d", lastName, writer, i)
				pods := client.CoreV1().Pods(namespace)
				_, err := pods.Create(ctx, pod(namespace, name, apps[i%len(apps)]), metav1.CreateOptions{})
				check(err)
				for round := range 3 {
					patch := fmt.Sprintf(`{"metadata":{"labels":{"round":"%d"}}}`, round)
					_, err = pods.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
					check(err)
				}
				if i%4 == 3 {
					check(pods.Delete(ctx, name, deletion))
				}
			}
		})
	}
	all.Wait()
	_, err := client.CoreV1().Pods(lastNamespace).Create(ctx, pod(lastNamespace, lastName, "last"), metav1.CreateOptions{})
	check(err)
}

func main() {
	if len(os.Args) < 2 {
		check(fmt.Errorf("expected hold, list or change"))
	}
	flags := flag.NewFlagSet("readers", flag.ExitOnError)
	server := flags.String("server", "", "the server's URL; empty: that of $KUBECONFIG")
	count := flags.Int("n", 1, "the number of informers, or of changes")
	until := flags.String("until", "readers-0/last", "the pod that is created last")
	folder := flags.String("to", ".", "the folder of the files of hold")
	limit := flags.Duration("timeout", time.Minute, "the time that all of it may take")
	check(flags.Parse(os.Args[2:]))
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	switch os.Args[1] {
	case "hold":
		holdAll(ctx, *count, *server, *until, *folder)
	case "list":
		list(ctx, *server)
	case "change":
		change(ctx, *server, *count, *until)
	default:
		check(fmt.Errorf("unknown command %q: expected hold, list or change", os.Args[1]))
	}
}
