// SPDX-License-Identifier: Apache-2.0

// The same reads and writes as modules/cache/benchmarks/bench_reads.cpp, of client-go's
// ThreadSafeStore.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	objects    = 100_000
	namespaces = 200
	writePause = 50 * time.Microsecond
)

var body = strings.Repeat("x", 1000)

func makeObject(index, version int) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.Namespace = "namespace-" + strconv.Itoa(index%namespaces)
	object.Name = "deployment-7d4b9c-" + strconv.Itoa(index)
	object.UID = "00000000-0000-0000-0000-000000000000"
	object.ResourceVersion = strconv.Itoa(version)
	object.Annotations = map[string]string{"body": body + strconv.Itoa(version)}
	return object
}

func report(name string, taken []int64) {
	sort.Slice(taken, func(i, j int) bool { return taken[i] < taken[j] })
	at := func(p float64) int64 { return taken[int(p*float64(len(taken)-1))] }
	fmt.Printf("%s\t%d\t%d\t%d\n", name, at(0.5), at(0.99), at(0.999))
}

var kept any

func measure(name string, count int, call func(i int)) {
	taken := make([]int64, 0, count)
	for i := 0; i < count; i++ {
		begin := time.Now()
		call(i)
		taken = append(taken, int64(time.Since(begin)))
	}
	report(name, taken)
}

func write(store cache.ThreadSafeStore, stop *atomic.Bool, done chan<- struct{}) {
	for i := 0; !stop.Load(); i++ {
		object := makeObject(i%objects, i)
		key := object.Namespace + "/" + object.Name
		store.Update(key, object)
		until := time.Now().Add(writePause)
		for time.Now().Before(until) {
			time.Sleep(0)
		}
	}
	close(done)
}

func main() {
	gets, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	store := cache.NewThreadSafeStore(
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, cache.Indices{})
	keys := make([]string, 0, objects)
	for i := 0; i < objects; i++ {
		object := makeObject(i, 1)
		key := object.Namespace + "/" + object.Name
		store.Add(key, object)
		keys = append(keys, key)
	}
	rand.New(rand.NewSource(1)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for i := range keys {
		keys[i] = strings.Clone(keys[i]) // in the order of their use, as a queue would have them
	}
	names := make([]string, namespaces)
	for i := range names {
		names[i] = "namespace-" + strconv.Itoa(i)
	}

	all := func(suffix string) {
		measure("get"+suffix, gets, func(i int) { kept, _ = store.Get(keys[i%objects]) })
		measure("by_index"+suffix, gets/100, func(i int) {
			kept, _ = store.ByIndex(cache.NamespaceIndex, names[i%namespaces])
		})
		measure("list"+suffix, 100, func(int) { kept = store.List() })
	}
	measure("clock", gets, func(int) {})
	all("")
	var stop atomic.Bool
	done := make(chan struct{})
	go write(store, &stop, done)
	all("_written")
	stop.Store(true)
	<-done
}
