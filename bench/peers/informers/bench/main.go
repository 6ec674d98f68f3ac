// SPDX-License-Identifier: Apache-2.0

// What kube-bench measures, of client-go: the same commands, options and lines of JSON.
//
//	bench sync|lister|queue|informers|wedge [-server URL | -kubeconfig FILE] [OPTION...]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type fields map[string]any

// printLine prints a result with the fields of all of them.
func printLine(bench string, parts ...fields) error {
	line := fields{"bench": bench, "client": "client-go"}
	for _, part := range parts {
		maps.Copy(line, part)
	}
	text, err := json.Marshal(line)
	if err == nil {
		fmt.Println(string(text))
	}
	return err
}

// source is the server that a command reads.
type source struct {
	server     string
	kubeconfig string
	json       bool
}

func sourceFlags(flags *flag.FlagSet) *source {
	s := &source{}
	flags.StringVar(&s.server, "server", "", "the URL of a server without credentials")
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "the cluster's file (default: as kubectl's)")
	flags.BoolVar(&s.json, "json", false, "ask for JSON, not protobuf")
	return s
}

func (s *source) client() (*kubernetes.Clientset, error) {
	config := &rest.Config{Host: s.server}
	if s.server == "" {
		rules := clientcmd.NewDefaultClientConfigLoadingRules()
		rules.ExplicitPath = s.kubeconfig
		var err error
		config, err = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
		if err != nil {
			return nil, err
		}
	}
	config.QPS = -1
	if !s.json {
		config.ContentType = "application/vnd.kubernetes.protobuf"
	}
	return kubernetes.NewForConfig(config)
}

// ask sends a request of a replay server.
func (s *source) ask(path string) error {
	response, err := http.Get(s.server + path)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// storm has a replay server make events, at once or so many a second.
func (s *source) storm(events, eventsASecond int) error {
	return s.ask(fmt.Sprintf("/storm?events=%d&a_second=%d", events, eventsASecond))
}

func main() {
	commands := map[string]func(arguments []string) error{
		"sync": syncCommand, "lister": listerCommand, "queue": queueCommand,
		"informers": informersCommand, "wedge": wedgeCommand,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "bench: expected sync, lister, queue, informers or wedge")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
