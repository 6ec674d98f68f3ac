// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"math"
	"math/rand"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
)

const (
	minCalls   = 10
	maxCalls   = 4_000_000
	operations = 5
)

// times are nanoseconds of single calls.
type times []uint32

// take calls for about so long. It returns how many objects all calls found.
func (t *times) take(period time.Duration, call func(i int) int) int {
	taken := (*t)[:0]
	found := 0
	begin := time.Now()
	for until := begin.Add(period); len(taken) < maxCalls && (len(taken) < minCalls || begin.Before(until)); begin = time.Now() {
		found += call(len(taken))
		taken = append(taken, uint32(min(int64(time.Since(begin)), math.MaxUint32)))
	}
	slices.Sort(taken)
	*t = taken
	return found
}

// at is of sorted times.
func (t times) at(part float64) uint32 { return t[int(part*float64(len(t)-1))] }

// reads measures every operation, and prints a line each.
type reads struct {
	informer podInformer
	keys     []string
	// Values of the indexes.
	namespaces []string
	labels     []string
	period     time.Duration
	told       *atomic.Int64
	times      times
	clock      uint32 // What reading the clock takes; taken off of every time.
}

func (r *reads) measure(phase, operation string, call func(i int) int) error {
	before := r.told.Load()
	found := r.times.take(r.period, call)
	events := r.told.Load() - before
	net := func(part float64) uint32 { return max(r.times.at(part), r.clock+1) - r.clock }
	return printLine("lister", fields{
		"phase": phase, "operation": operation, "objects": len(r.keys), "calls": len(r.times),
		"found":  float64(found) / float64(len(r.times)),
		"p50_ns": net(0.5), "p99_ns": net(0.99), "p999_ns": net(0.999), "clock_ns": r.clock, "events": events,
	})
}

func (r *reads) print(phase string) error {
	if len(r.keys) == 0 {
		return nil
	}
	indexer := r.informer.cache.GetIndexer()
	lister := r.informer.pods.Lister()
	// Has to look at every object, and finds none.
	nothing, err := labels.Parse("kube-bench=nothing")
	if err != nil {
		return err
	}
	byIndex := func(index string, values []string) func(int) int {
		return func(i int) int {
			found, _ := indexer.ByIndex(index, values[i%len(values)])
			return len(found)
		}
	}
	err = errors.Join(
		r.measure(phase, "get", func(i int) int {
			if _, found, _ := indexer.GetByKey(r.keys[i%len(r.keys)]); found {
				return 1
			}
			return 0
		}),
		r.measure(phase, "by_index", byIndex(cache.NamespaceIndex, r.namespaces)),
		r.measure(phase, "list", func(int) int { return len(indexer.List()) }),
	)
	if len(r.labels) > 0 {
		err = errors.Join(err, r.measure(phase, "selector", byIndex("label", r.labels)))
	}
	return errors.Join(err, r.measure(phase, "selector_scan", func(int) int {
		found, _ := lister.List(nothing)
		return len(found)
	}))
}

func indexByLabel(label string) cache.IndexFunc {
	return func(object any) ([]string, error) {
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		if value, found := accessor.GetLabels()[label]; found {
			return []string{value}, nil
		}
		return nil, nil
	}
}

// listerCommand measures the reads of an informer's cache, without and beside a storm of events.
func listerCommand(arguments []string) error {
	flags := flag.NewFlagSet("lister", flag.ExitOnError)
	from := sourceFlags(flags)
	label := flags.String("label", "app", "the label of the index")
	milliseconds := flags.Int("milliseconds", 1000, "the time of each operation")
	rate := flags.Int("events-a-second", 0, "those of a storm; 0: none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	client, err := from.client()
	if err != nil {
		return err
	}
	var told atomic.Int64
	informer, err := newPodInformer(client, "", countUpdates(&told))
	if err != nil {
		return err
	}
	if err := informer.cache.AddIndexers(cache.Indexers{"label": indexByLabel(*label)}); err != nil {
		return err
	}
	informer.start()
	informer.waitForSync()
	indexer := informer.cache.GetIndexer()
	r := reads{
		informer: informer, keys: indexer.ListKeys(), told: &told,
		namespaces: indexer.ListIndexFuncValues(cache.NamespaceIndex), labels: indexer.ListIndexFuncValues("label"),
		period: time.Duration(*milliseconds) * time.Millisecond, times: make(times, 0, maxCalls),
	}
	slices.Sort(r.keys)
	rand.New(rand.NewSource(1)).Shuffle(len(r.keys), func(i, j int) { r.keys[i], r.keys[j] = r.keys[j], r.keys[i] })
	for i := range r.keys {
		r.keys[i] = strings.Clone(r.keys[i]) // in memory in the order of their use, as a queue would have them
	}
	r.times.take(r.period, func(int) int { return 0 })
	r.clock = r.times.at(0.5)
	if err := r.print("idle"); err != nil || *rate == 0 {
		return err
	}
	// Long enough for operations that take longer than their time.
	if err := from.storm(max(*rate**milliseconds*operations*2/1000, 1), *rate); err != nil {
		return err
	}
	waitFor(&told, 1)
	return errors.Join(r.print("storm"), from.storm(0, 0))
}
