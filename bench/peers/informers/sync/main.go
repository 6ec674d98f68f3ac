// SPDX-License-Identifier: Apache-2.0

// What kube-bench sync measures, of a client-go informer on the same replay server: the same lines
// of JSON.
//
//	sync [-json] [-events N] [-storms N] URL
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "sync:", err)
		os.Exit(1)
	}
}

func statusLine(field string) float64 {
	file, err := os.Open("/proc/self/status")
	check(err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), field+":"); found {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			check(err)
			return kib * 1024 / 1e6
		}
	}
	return 0
}

type phase struct {
	began time.Time
	usage syscall.Rusage
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

func begin() phase {
	check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200))
	p := phase{began: time.Now()}
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &p.usage))
	return p
}

func (p phase) print(name string, objects, events int) {
	wall := time.Since(p.began).Seconds()
	var after syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &after))
	peak := statusLine("VmHWM")
	time.Sleep(2500 * time.Millisecond)
	kernel := seconds(after.Stime) - seconds(p.usage.Stime)
	line, err := json.Marshal(map[string]any{
		"bench": "sync", "client": "client-go", "phase": name, "objects": objects, "events": events,
		"wall_s": wall, "cpu_s": kernel + seconds(after.Utime) - seconds(p.usage.Utime),
		"kernel_s": kernel, "page_faults": after.Minflt - p.usage.Minflt,
		"rss_mb": statusLine("VmRSS"), "peak_mb": peak,
	})
	check(err)
	fmt.Println(string(line))
}

func main() {
	asJSON := flag.Bool("json", false, "ask for JSON, not protobuf")
	events := flag.Int("events", 0, "the events of a storm")
	storms := flag.Int("storms", 1, "the number of storms")
	flag.Parse()
	server := flag.Arg(0)
	// Both sides list; the initial state is not streamed.
	check(os.Setenv("KUBE_FEATURE_WatchListClient", "false"))
	config := &rest.Config{Host: server, QPS: -1}
	if !*asJSON {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	client, err := kubernetes.NewForConfig(config)
	check(err)
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	var told atomic.Int64
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { told.Add(1) },
		UpdateFunc: func(any, any) { told.Add(1) },
	})
	check(err)
	list := begin()
	go informer.RunWithContext(context.Background())
	for !informer.HasSynced() || !handler.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	objects := len(informer.GetStore().ListKeys())
	list.print("sync", objects, 0)
	for storm := 0; storm < *storms && *events > 0; storm++ {
		p := begin()
		all := told.Load() + int64(*events)
		response, err := http.Get(fmt.Sprintf("%s/storm?events=%d", server, *events))
		check(err)
		_, err = io.Copy(io.Discard, response.Body)
		check(err)
		check(response.Body.Close())
		for told.Load() < all {
			time.Sleep(time.Millisecond)
		}
		p.print("storm", objects, *events)
	}
}
