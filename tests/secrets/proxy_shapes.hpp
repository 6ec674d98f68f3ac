// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace secrets {

/// URLs of proxies as people write them, right and wrong, with CANARY for the password (see
/// with_canary()). Nobody answers at any of them.
inline std::vector<std::string> proxy_shapes() {
  return {
      // Well-formed.
      "http://user:CANARY@127.0.0.1:1",
      "HTTP://user:CANARY@127.0.0.1:1",
      "http://user:CANARY@127.0.0.1:1/",
      "http://user:CANARY@[::1]:1",
      "http://CANARY@127.0.0.1:1",
      "http://:CANARY@127.0.0.1:1",
      "http://user:a%40CANARY@127.0.0.1:1",
      "http://user:CANARY@no-such-proxy.invalid:1",
      "https://user:CANARY@127.0.0.1:1",
      "socks5://user:CANARY@127.0.0.1:1",
      "socks5h://user:CANARY@127.0.0.1:1",
      // Without a scheme, or with another one.
      "user:CANARY@127.0.0.1:1",
      "//user:CANARY@127.0.0.1:1",
      "://user:CANARY@127.0.0.1:1",
      "http:/user:CANARY@127.0.0.1:1",
      "http:user:CANARY@127.0.0.1:1",
      "http//user:CANARY@127.0.0.1:1",
      "http:///user:CANARY@127.0.0.1:1",
      "socks4://user:CANARY@127.0.0.1:1",
      "socks9://user:CANARY@127.0.0.1:1",
      "ftp://user:CANARY@127.0.0.1:1",
      "ht tp://user:CANARY@127.0.0.1:1",
      // Characters that a password can't have as they are.
      "http://user:CANARY@@127.0.0.1:1",
      "http://user:a@CANARY@127.0.0.1:1",
      "http://user:a/CANARY@127.0.0.1:1",
      "http://user:CANARY/a@127.0.0.1:1",
      "http://user:8080/CANARY@127.0.0.1:1",
      "http://user:a?CANARY@127.0.0.1:1",
      "http://user:CANARY#a@127.0.0.1:1",
      "http://user:a\\CANARY@127.0.0.1:1",
      "http://user:a CANARY@127.0.0.1:1",
      "http://user:CANARY @127.0.0.1:1",
      " http://user:CANARY@127.0.0.1:1",
      "http://user:CANARY@127.0.0.1:1 ",
      "http://user:CANARY@127.0.0.1:1\n",
      "http://user:a\nCANARY@127.0.0.1:1",
      "http://user:a\r\nX-Secret: CANARY@127.0.0.1:1",
      "http://user:CANARY\x01@127.0.0.1:1",
      "http://user:\xff\xfe"
      "CANARY@127.0.0.1:1",
      "http://user:CANARY%@127.0.0.1:1",
      "http://user:%zzCANARY@127.0.0.1:1",
      "http://user:CANARY%00@127.0.0.1:1",
      "http://user:CANARY%0a@127.0.0.1:1",
      "http://user:[CANARY@127.0.0.1:1",
      "http://user:CANARY]@127.0.0.1:1",
      "\"http://user:CANARY@127.0.0.1:1\"",
      "'http://user:CANARY@127.0.0.1:1'",
      // No host, or a wrong one.
      "http://user:CANARY",
      "http://user:CANARY@",
      "http://user:CANARY@:1",
      "user:CANARY",
      "user:CANARY@",
      "http://user:CANARY@127.0.0.1:port",
      "http://user:CANARY@127.0.0.1:99999",
      "http://user:CANARY@127.0.0.1:",
      "http://user:CANARY@127.0.0.1:-1",
      "http://user:CANARY@127.0.0.1:1:1",
      "http://user:CANARY@[::1",
      "http://user:CANARY@[::1]x:1",
      "http://user:CANARY@[zz]:1",
      "http://user:CANARY@ho st:1",
      "http://user:CANARY@ho%st:1",
      "http://user:CANARY@127.0.0.1:1,http://user:CANARY@127.0.0.1:2",
      "http://user:CANARY@127.0.0.1:1?token=CANARY",
      "http://127.0.0.1:1/?token=CANARY",
      "http://127.0.0.1:1#CANARY",
  };
}

}  // namespace secrets
