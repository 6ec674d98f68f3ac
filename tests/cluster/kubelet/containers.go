// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// Runs the commands of containers as processes, which find the container's name in CONTAINER.
type containers struct{}

const attached = `echo "attached to $CONTAINER"; exec cat`

func (containers) Exec(ctx context.Context, id string, command []string, in io.Reader, out, err io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize) error {
	return runProcess(ctx, id, command, in, out, err, tty, resize)
}

func (containers) Attach(ctx context.Context, id string, in io.Reader, out, err io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize) error {
	return runProcess(ctx, id, []string{"/bin/sh", "-c", attached}, in, out, err, tty, resize)
}

func runProcess(ctx context.Context, id string, command []string, in io.Reader, out, err io.Writer, tty bool,
	resize <-chan remotecommand.TerminalSize) error {
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Env = append(os.Environ(), "CONTAINER="+id[strings.LastIndex(id, "_")+1:])
	if tty {
		return statusOf(runInTerminal(process, in, out, resize))
	}
	process.Stdout, process.Stderr = out, err
	if in != nil {
		// As process.Stdin it would have to end before the process can.
		pipe, failed := process.StdinPipe()
		if failed != nil {
			return failed
		}
		go func() {
			_, _ = io.Copy(pipe, in)
			_ = pipe.Close()
		}()
	}
	return statusOf(process.Run())
}

// The streaming server tells the client the status of errors of this type.
func statusOf(err error) error {
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		return &utilexec.ExitErrorWrapper{ExitError: exited}
	}
	return err
}

func openTerminal() (*os.File, *os.File, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		_ = master.Close()
		return nil, nil, err
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		_ = master.Close()
		return nil, nil, err
	}
	return master, terminal, nil
}

func runInTerminal(process *exec.Cmd, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize) error {
	master, terminal, err := openTerminal()
	if err != nil {
		return err
	}
	defer master.Close()
	process.Stdin, process.Stdout, process.Stderr = terminal, terminal, terminal
	process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	setSize := func(size remotecommand.TerminalSize) {
		_ = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Height, Col: size.Width})
	}
	if size, ok := <-resize; ok { // the first one comes at once, and the process should see it
		setSize(size)
	}
	err = process.Start()
	_ = terminal.Close()
	if err != nil {
		return err
	}
	go func() {
		for size := range resize {
			setSize(size)
		}
	}()
	if in != nil {
		go func() { _, _ = io.Copy(master, in) }()
	}
	_, _ = io.Copy(out, master) // ends with an error when the process and its terminal have gone
	return process.Wait()
}

func (containers) PortForward(_ context.Context, _ string, port int32, stream io.ReadWriteCloser) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	go func() {
		_, _ = io.Copy(connection, stream)
		_ = connection.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, connection)
	_ = stream.Close()
	return err
}
