// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"sync/atomic"
)

// syncCommand runs an informer from its start to its sync, and in storms of events.
func syncCommand(arguments []string) error {
	flags := flag.NewFlagSet("sync", flag.ExitOnError)
	from := sourceFlags(flags)
	events := flags.Int("events", 0, "the events of a storm")
	storms := flags.Int("storms", 1, "the number of storms")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	client, err := from.client()
	if err != nil {
		return err
	}
	var told atomic.Int64
	informer, err := newPodInformer(client, "", countAll(&told))
	if err != nil {
		return err
	}
	list, err := beginPhase()
	if err != nil {
		return err
	}
	informer.start()
	informer.waitForSync()
	objects := len(informer.cache.GetStore().ListKeys())
	if err := printLine("sync", list.end("sync"), fields{"objects": objects, "events": 0}); err != nil {
		return err
	}
	for storm := 0; storm < *storms && *events > 0; storm++ {
		p, err := beginPhase()
		if err != nil {
			return err
		}
		all := told.Load() + int64(*events)
		if err := from.storm(*events, 0); err != nil {
			return err
		}
		waitFor(&told, all)
		if err := printLine("sync", p.end("storm"), fields{"objects": objects, "events": *events}); err != nil {
			return err
		}
	}
	return nil
}
