// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"sync/atomic"
	"time"
)

// wedgeCommand measures how long an informer lags whose watch is open and silent.
func wedgeCommand(arguments []string) error {
	flags := flag.NewFlagSet("wedge", flag.ExitOnError)
	from := sourceFlags(flags)
	limit := flags.Int("limit", 120, "the seconds to wait for the event")
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
	informer.start()
	informer.waitForSync()
	// Its watch is alive.
	if err := from.storm(1, 0); err != nil {
		return err
	}
	waitFor(&told, 1)
	if err := from.ask("/wedge"); err != nil {
		return err
	}
	if err := from.storm(1, 0); err != nil {
		return err
	}
	began := time.Now()
	end := began.Add(time.Duration(*limit) * time.Second)
	for told.Load() < 2 && time.Now().Before(end) {
		time.Sleep(5 * time.Millisecond)
	}
	result := fields{"limit_s": *limit, "result": fmt.Sprintf("not within %d s", *limit)}
	if told.Load() == 2 {
		result["result"] = "event"
		result["wall_s"] = time.Since(began).Seconds()
	}
	return printLine("wedge", result)
}
