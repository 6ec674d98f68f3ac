// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	crilogs "k8s.io/cri-client/pkg/logs"
)

type logs struct {
	folder string
}

// The reader of logs asks it whether a container runs, and nothing else.
type states struct {
	internalapi.RuntimeService
	folder string
}

func (s states) ContainerStatus(_ context.Context, id string, _ bool) (*runtimeapi.ContainerStatusResponse, error) {
	state := runtimeapi.ContainerState_CONTAINER_EXITED
	if _, err := os.Stat(filepath.Join(s.folder, id+".running")); err == nil {
		state = runtimeapi.ContainerState_CONTAINER_RUNNING
	}
	return &runtimeapi.ContainerStatusResponse{Status: &runtimeapi.ContainerStatus{State: state}}, nil
}

// What is written reaches the reader at once.
type flushed struct {
	http.ResponseWriter
}

func (f flushed) Write(bytes []byte) (int, error) {
	n, err := f.ResponseWriter.Write(bytes)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

func number(query url.Values, name string) *int64 {
	value, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return nil
	}
	return &value
}

func optionsOf(query url.Values) *crilogs.LogOptions {
	options := &crilogs.LogOptions{
		Follow:    query.Get("follow") == "true",
		Timestamp: query.Get("timestamps") == "true",
	}
	if seconds := number(query, "sinceSeconds"); seconds != nil && *seconds < math.MaxInt32 {
		options.Since = time.Now().Add(-time.Duration(*seconds) * time.Second)
	}
	if since, err := time.Parse(time.RFC3339, query.Get("sinceTime")); err == nil {
		options.Since = since
	}
	options.TailLines, options.LimitBytes = number(query, "tailLines"), number(query, "limitBytes")
	return options
}

func (l logs) serve(w http.ResponseWriter, r *http.Request) {
	id, query := idOf(r), r.URL.Query()
	name := id + ".log"
	if query.Get("previous") == "true" {
		name = id + ".previous.log"
	}
	path := filepath.Join(l.folder, name)
	if _, err := os.Stat(path); err != nil {
		// In the words of a kubelet.
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "previous terminated container %q in pod %q not found",
			r.PathValue("container"), r.PathValue("pod"))
		return
	}
	out := flushed{w}
	if query.Get("follow") == "true" {
		w.(http.Flusher).Flush() // the answer begins before the first line
	}
	options := optionsOf(query)
	if err := crilogs.ReadLogs(r.Context(), path, id, options, states{folder: l.folder}, out, out); err != nil {
		fmt.Fprintln(os.Stderr, "kubelet: logs:", err)
	}
}
