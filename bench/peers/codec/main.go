// SPDX-License-Identifier: Apache-2.0

// What client-go does with a pod, for bench/codec: the other side of the table, asked through
// standard input one line at a time, so that both programs take turns in one run.
//
//	codec DIRECTORY
//	  > decode_protobuf running 200     operation, set of files, milliseconds
//	  < 11873.4                         nanoseconds of processor time a pod
//
// The coders are those that a typed client of client-go uses (NewClientNegotiator over the clientset's
// scheme), the settings of the garbage collector the default ones, its work is part of the time.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	gort "runtime"
	"sort"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// coder is one encoding.
type coder struct {
	runtime.Encoder
	runtime.Decoder
}

func newCoder(mediaType string) coder {
	negotiator := runtime.NewClientNegotiator(scheme.Codecs.WithoutConversion(), corev1.SchemeGroupVersion)
	encoder, err := negotiator.Encoder(mediaType, nil)
	check(err)
	decoder, err := negotiator.Decoder(mediaType, nil)
	check(err)
	return coder{encoder, decoder}
}

func (c coder) decode(data []byte) *corev1.Pod {
	pod := &corev1.Pod{}
	_, _, err := c.Decode(data, nil, pod)
	check(err)
	return pod
}

func (c coder) encode(pod *corev1.Pod) []byte {
	data, err := runtime.Encode(c, pod)
	check(err)
	return data
}

var (
	protobuf = newCoder("application/vnd.kubernetes.protobuf")
	json     = newCoder("application/json")
)

// sample is one pod in all its forms.
type sample struct {
	protobuf, json []byte
	pod, equal     *corev1.Pod
}

// What the compiler must not find unused.
var sink any

var operations = map[string]func(*sample){
	"decode_protobuf": func(s *sample) { sink = protobuf.decode(s.protobuf) },
	"encode_protobuf": func(s *sample) { sink = protobuf.encode(s.pod) },
	"decode_json":     func(s *sample) { sink = json.decode(s.json) },
	"encode_json":     func(s *sample) { sink = json.encode(s.pod) },
	"copy":            func(s *sample) { sink = s.pod.DeepCopy() },
	"compare":         func(s *sample) { same(equality.Semantic.DeepEqual(s.pod, s.equal)) },
	"compare_reflect": func(s *sample) { same(reflect.DeepEqual(s.pod, s.equal)) },
}

func same(equal bool) {
	if !equal {
		check(fmt.Errorf("equal pods compare as different"))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "codec:", err)
		os.Exit(1)
	}
}

// load reads NAME-*.pb and NAME-*.json and proves that they are what client-go writes.
func load(directory string) map[string][]*sample {
	files, err := filepath.Glob(filepath.Join(directory, "*.pb"))
	check(err)
	sort.Strings(files)
	sets := map[string][]*sample{}
	for _, file := range files {
		s := &sample{}
		s.protobuf, err = os.ReadFile(file)
		check(err)
		s.json, err = os.ReadFile(strings.TrimSuffix(file, ".pb") + ".json")
		check(err)
		s.pod, s.equal = protobuf.decode(s.protobuf), protobuf.decode(s.protobuf)
		if !bytes.Equal(protobuf.encode(s.pod), s.protobuf) || !bytes.Equal(bytes.TrimSpace(json.encode(s.pod)), s.json) ||
			!equality.Semantic.DeepEqual(json.decode(s.json), json.decode(json.encode(s.pod))) {
			check(fmt.Errorf("%s: client-go writes other bytes", file))
		}
		name, _, _ := strings.Cut(filepath.Base(file), "-")
		sets[name] = append(sets[name], s)
	}
	return sets
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// measure answers nanoseconds of processor time, those of the collector's threads included.
func measure(operation func(*sample), samples []*sample, budget time.Duration) float64 {
	count := 0
	begin, before := time.Now(), processorTime()
	for time.Since(begin) < budget {
		for _, s := range samples {
			operation(s)
		}
		count += len(samples)
	}
	return float64((processorTime() - before).Nanoseconds()) / float64(count)
}

func main() {
	if len(os.Args) != 2 {
		check(fmt.Errorf("usage: codec DIRECTORY"))
	}
	// The collector works on spare processors too, as far as there are any, whether it is worth it or not. With one
	// processor, what is measured is what it needs.
	gort.GOMAXPROCS(1)
	sets := load(os.Args[1])
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var name, set string
		var milliseconds int
		_, err := fmt.Sscan(lines.Text(), &name, &set, &milliseconds)
		check(err)
		operation, samples := operations[name], sets[set]
		if operation == nil || len(samples) == 0 {
			check(fmt.Errorf("no operation %q or no files %q", name, set))
		}
		fmt.Println(measure(operation, samples, time.Duration(milliseconds)*time.Millisecond))
	}
}
