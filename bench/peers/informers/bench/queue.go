// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const fewKeys = 1000

// measureQueue runs work, which returns how many keys were taken and done.
func measureQueue(phase string, work func() int) error {
	before := usage()
	began := time.Now()
	items := work()
	wall := time.Since(began)
	cpu := processorSeconds(usage()) - processorSeconds(before)
	return printLine("queue", fields{
		"phase": phase, "items": items,
		"wall_ns_per_item": float64(wall.Nanoseconds()) / float64(items),
		"cpu_ns_per_item":  cpu * 1e9 / float64(items),
	})
}

func takeAll(queue workqueue.TypedInterface[string]) int {
	taken := 0
	for queue.Len() > 0 {
		key, _ := queue.Get()
		queue.Done(key)
		taken++
	}
	return taken
}

// byWorkers adds by one goroutine and takes by others.
func byWorkers(keys []string, workers int) int {
	queue := workqueue.NewTyped[string]()
	var taken atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			mine := 0
			for {
				key, shutdown := queue.Get()
				if shutdown {
					break
				}
				queue.Done(key)
				mine++
			}
			taken.Add(int64(mine))
		})
	}
	for _, key := range keys {
		queue.Add(key)
	}
	queue.ShutDown()
	all.Wait()
	return int(taken.Load())
}

// queueCommand measures keys on their way through a work queue.
func queueCommand(arguments []string) error {
	flags := flag.NewFlagSet("queue", flag.ExitOnError)
	items := flags.Int("items", 1_000_000, "the number of keys")
	workers := flags.Int("workers", 4, "the goroutines that take them")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	keys := make([]string, max(*items, 1))
	for i := range keys {
		keys[i] = fmt.Sprintf("ns-%03d/web-%08d", i%200, i)
	}
	few := keys[:min(fewKeys, len(keys))]
	err := measureQueue("repeated", func() int {
		queue := workqueue.NewTyped[string]()
		taken := 0
		for taken < len(keys) {
			for _, key := range few {
				queue.Add(key)
			}
			taken += takeAll(queue)
		}
		return taken
	})
	if err != nil {
		return err
	}
	err = measureQueue("burst", func() int {
		queue := workqueue.NewTyped[string]()
		for _, key := range keys {
			queue.Add(key)
		}
		return takeAll(queue)
	})
	if err != nil {
		return err
	}
	return measureQueue("workers", func() int { return byWorkers(keys, *workers) })
}
