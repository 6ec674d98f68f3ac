// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// informersCommand runs many informers in one process, each of the pods of one namespace.
func informersCommand(arguments []string) error {
	flags := flag.NewFlagSet("informers", flag.ExitOnError)
	from := sourceFlags(flags)
	count := flags.Int("informers", 200, "their number")
	events := flags.Int("events", 0, "the events of a storm")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	client, err := from.client()
	if err != nil {
		return err
	}
	namespaces, err := client.CoreV1().Namespaces().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	number := len(namespaces.Items)
	if number == 0 || *events > 0 && *count%number != 0 {
		return fmt.Errorf("expected a multiple of the %d namespaces, found %d", number, *count)
	}
	var told atomic.Int64
	start, err := beginPhase()
	if err != nil {
		return err
	}
	all := make([]podInformer, *count)
	for i := range all {
		all[i], err = newPodInformer(client, namespaces.Items[i%number].Name, countUpdates(&told))
		if err != nil {
			return err
		}
		all[i].start()
	}
	objects := 0
	for _, one := range all {
		one.waitForSync()
		objects += len(one.cache.GetStore().ListKeys())
	}
	process := func(delivered int) fields {
		return fields{
			"informers": *count, "objects": objects, "events": delivered,
			"threads": statusLine("Threads"), "connections": sockets(),
		}
	}
	if err := printLine("informers", start.end("sync"), process(0)); err != nil || *events == 0 {
		return err
	}
	storm, err := beginPhase()
	if err != nil {
		return err
	}
	if err := from.storm(*events, 0); err != nil {
		return err
	}
	expected := *events * (*count / number)
	waitFor(&told, int64(expected))
	return printLine("informers", storm.end("storm"), process(expected))
}
