// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var processBegan = time.Now()

// statusLine returns a number of /proc/self/status, 0 without it.
func statusLine(field string) float64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), field+":"); found {
			number, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				return 0
			}
			return number
		}
	}
	return 0
}

func megabytes(field string) float64 { return statusLine(field) * 1024 / 1e6 }

// sockets counts the open ones.
func sockets() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	count := 0
	for _, entry := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil && strings.HasPrefix(target, "socket:") {
			count++
		}
	}
	return count
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

func usage() syscall.Rusage {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // It takes no argument that could be wrong.
	}
	return used
}

func processorSeconds(used syscall.Rusage) float64 { return seconds(used.Utime) + seconds(used.Stime) }

// phase measures one phase of this process.
type phase struct {
	began time.Time
	usage syscall.Rusage
}

func beginPhase() (phase, error) {
	err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
	return phase{began: time.Now(), usage: usage()}, err
}

// end returns what the phase took. The memory is that of 2.5 seconds later.
func (p phase) end(name string) fields {
	wall := time.Since(p.began).Seconds()
	after := usage()
	peak := megabytes("VmHWM")
	time.Sleep(2500 * time.Millisecond)
	return fields{
		"phase": name, "began_s": p.began.Sub(processBegan).Seconds(), "wall_s": wall,
		"cpu_s":       processorSeconds(after) - processorSeconds(p.usage),
		"kernel_s":    seconds(after.Stime) - seconds(p.usage.Stime),
		"page_faults": after.Minflt + after.Majflt - p.usage.Minflt - p.usage.Majflt,
		"rss_mb":      megabytes("VmRSS"), "peak_mb": peak,
	}
}
