// SPDX-License-Identifier: Apache-2.0

// Kubelet is the part of a kubelet that a client sees: the API server sends it exec, attach, port
// forwarding and logs of the pods of its node. The protocols are served by Kubernetes' own packages
// (k8s.io/cri-streaming, k8s.io/cri-client); the containers are processes of this machine.
//
//	kubelet FOLDER
//
// FOLDER holds the logs in the format of the CRI: NAMESPACE_POD_CONTAINER.log, and
// NAMESPACE_POD_CONTAINER.previous.log of the container before. A container runs while
// NAMESPACE_POD_CONTAINER.running exists. Prints its port, and ends with its standard input.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

type kubelet struct {
	streams streaming.Server
	logs    logs
}

// The id of a container, and the name of its files.
func idOf(r *http.Request) string {
	id := r.PathValue("namespace") + "_" + r.PathValue("pod")
	if container := r.PathValue("container"); container != "" {
		id += "_" + container
	}
	return id
}

// A kubelet asks its container runtime for the address of a stream, which is here.
func (k *kubelet) stream(w http.ResponseWriter, r *http.Request, address string, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.URL, err = url.Parse(address); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	k.streams.ServeHTTP(w, r)
}

func (k *kubelet) exec(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	answer, err := k.streams.GetExec(&runtimeapi.ExecRequest{
		ContainerId: idOf(r), Cmd: query["command"], Tty: query.Get("tty") == "1",
		Stdin: query.Get("input") == "1", Stdout: query.Get("output") == "1", Stderr: query.Get("error") == "1",
	})
	k.stream(w, r, answer.GetUrl(), err)
}

func (k *kubelet) attach(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	answer, err := k.streams.GetAttach(&runtimeapi.AttachRequest{
		ContainerId: idOf(r), Tty: query.Get("tty") == "1",
		Stdin: query.Get("input") == "1", Stdout: query.Get("output") == "1", Stderr: query.Get("error") == "1",
	})
	k.stream(w, r, answer.GetUrl(), err)
}

func (k *kubelet) portForward(w http.ResponseWriter, r *http.Request) {
	answer, err := k.streams.GetPortForward(&runtimeapi.PortForwardRequest{PodSandboxId: idOf(r)})
	k.stream(w, r, answer.GetUrl(), err)
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func run(folder string) error {
	config := streaming.DefaultConfig
	config.BaseURL = &url.URL{Scheme: "https", Host: "127.0.0.1", Path: "/"}
	streams, err := streaming.NewServer(config, containers{})
	if err != nil {
		return err
	}
	k := &kubelet{streams: streams, logs: logs{folder: folder}}
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", k.exec)
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", k.attach)
	mux.HandleFunc("/portForward/{namespace}/{pod}", k.portForward)
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.logs.serve)
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// Streams are upgraded connections, which HTTP/2 does not have.
	server := &http.Server{Handler: mux, TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}}}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.ServeTLS(listener, "", "")
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kubelet FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "kubelet:", err)
		os.Exit(1)
	}
}
