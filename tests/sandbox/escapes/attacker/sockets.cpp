#include "sandbox/escapes/attacker/attempts.hpp"
#include <net/if.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace troupe::attacker {

namespace {

constexpr auto obsolete_packet = 10;

sockaddr_in host_port(const char* address) {
  auto result = sockaddr_in{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<uint16_t>(needed_number("PORT")));
  ::inet_pton(AF_INET, address, &result.sin_addr);
  return result;
}

long reach(const char* address) {
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto to = host_port(address);
  return fd < 0 ? -1
                : ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
}

long reach_loopback() {
  return reach("127.0.0.1");
}

long reach_other_loopback() {
  return reach("127.8.8.8");
}

long reach_any() {
  return reach("0.0.0.0");
}

long reach_six(const char* address) {
  auto fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto to = sockaddr_in6{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(static_cast<uint16_t>(needed_number("PORT")));
  ::inet_pton(AF_INET6, address, &to.sin6_addr);
  return fd < 0 ? -1
                : ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
}

long reach_loopback_six() {
  return reach_six("::1");
}

long reach_mapped() {
  return reach_six("::ffff:127.0.0.1");
}

// The first bytes travel with the connection.
long reach_fast_open() {
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto to = host_port("127.0.0.1");
  return fd < 0 ? -1
                : ::sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
                           reinterpret_cast<sockaddr*>(&to), sizeof to);
}

long open_raw() {
  return ::socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

long open_raw_six() {
  return ::socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
}

// Becomes a packet socket on its way through the kernel.
long open_obsolete_packet() {
  return ::socket(AF_INET, obsolete_packet, htons(3));
}

long open_family(long family, int type, int protocol) {
  return ::socket(static_cast<int>(family), type, protocol);
}

long open_packet() {
  return open_family(AF_PACKET, SOCK_RAW, htons(3));
}

long open_vsock() {
  return open_family(AF_VSOCK, SOCK_STREAM, 0);
}

long open_crypto() {
  return open_family(AF_ALG, SOCK_SEQPACKET, 0);
}

long open_unix() {
  return open_family(AF_UNIX, SOCK_STREAM, 0);
}

long open_netlink(int protocol) {
  return ::socket(AF_NETLINK, SOCK_RAW, protocol);
}

long open_audit() {
  return open_netlink(NETLINK_AUDIT);
}

long open_events() {
  return open_netlink(NETLINK_KOBJECT_UEVENT);
}

long open_firewall() {
  return open_netlink(NETLINK_NETFILTER);
}

long open_connector() {
  return open_netlink(NETLINK_CONNECTOR);
}

long open_generic() {
  return open_netlink(NETLINK_GENERIC);
}

long open_diagnosis() {
  return open_netlink(NETLINK_SOCK_DIAG);
}

long open_transforms() {
  return open_netlink(NETLINK_XFRM);
}

// A pair needs no name, but one of datagrams can be turned to another address.
long turn_pair(int type, const sockaddr_un& to, socklen_t size) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    return -1;
  if (::connect(ends[0], reinterpret_cast<const sockaddr*>(&to), size) != 0)
    return -1;
  return ::send(ends[0], "hello", 5, MSG_NOSIGNAL);
}

sockaddr_un path_address(socklen_t& size) {
  auto result = sockaddr_un{};
  result.sun_family = AF_UNIX;
  std::strncpy(result.sun_path, needed("DATAGRAMS"),
               sizeof result.sun_path - 1);
  size = sizeof result;
  return result;
}

sockaddr_un abstract_address(socklen_t& size) {
  auto result = sockaddr_un{};
  result.sun_family = AF_UNIX;
  const auto* name = needed("ABSTRACT");
  std::strncpy(result.sun_path + 1, name, sizeof result.sun_path - 2);
  size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1
                                + std::strlen(name));
  return result;
}

long turn_pair_to_path() {
  auto size = socklen_t{0};
  auto to = path_address(size);
  return turn_pair(SOCK_DGRAM, to, size);
}

long turn_raw_pair_to_path() {
  auto size = socklen_t{0};
  auto to = path_address(size);
  return turn_pair(SOCK_RAW, to, size);
}

long turn_pair_to_abstract() {
  auto size = socklen_t{0};
  auto to = abstract_address(size);
  return turn_pair(SOCK_DGRAM, to, size);
}

long turn_stream_to_path() {
  auto size = socklen_t{0};
  auto to = path_address(size);
  return turn_pair(SOCK_STREAM, to, size);
}

long use_pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return -1;
  return ::write(ends[0], "x", 1);
}

// Of the family itself, where a policy allows it.
long connect_to_service() {
  auto to = sockaddr_un{};
  to.sun_family = AF_UNIX;
  std::strncpy(to.sun_path, needed("SERVICE"), sizeof to.sun_path - 1);
  auto fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd < 0 ? -1
                : ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
}

long send_to_abstract() {
  auto size = socklen_t{0};
  auto to = abstract_address(size);
  auto fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return fd < 0 ? -1
                : ::sendto(fd, "hello", 5, MSG_NOSIGNAL,
                           reinterpret_cast<sockaddr*>(&to), size);
}

long configure_interface() {
  auto fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  auto what = ifreq{};
  std::strcpy(what.ifr_name, "lo");
  what.ifr_flags = 0;
  return fd < 0 ? -1 : ::ioctl(fd, SIOCSIFFLAGS, &what);
}

long open_low_port() {
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto at = host_port("127.0.0.1");
  at.sin_port = 0;
  return ::bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0
           ? ::listen(fd, 1)
           : -1;
}

constexpr auto attempts = std::array{
  attempt{"reach-loopback", reach_loopback},
  attempt{"reach-other-loopback", reach_other_loopback},
  attempt{"reach-any", reach_any},
  attempt{"reach-loopback-six", reach_loopback_six},
  attempt{"reach-mapped", reach_mapped},
  attempt{"reach-fast-open", reach_fast_open},
  attempt{"socket-raw", open_raw},
  attempt{"socket-raw-six", open_raw_six},
  attempt{"socket-obsolete-packet", open_obsolete_packet},
  attempt{"socket-packet", open_packet},
  attempt{"socket-vsock", open_vsock},
  attempt{"socket-crypto", open_crypto},
  attempt{"socket-unix", open_unix},
  attempt{"netlink-audit", open_audit},
  attempt{"netlink-events", open_events},
  attempt{"netlink-firewall", open_firewall},
  attempt{"netlink-connector", open_connector},
  attempt{"netlink-generic", open_generic},
  attempt{"netlink-diagnosis", open_diagnosis},
  attempt{"netlink-transforms", open_transforms},
  attempt{"pair-to-path", turn_pair_to_path},
  attempt{"pair-raw-to-path", turn_raw_pair_to_path},
  attempt{"pair-to-abstract", turn_pair_to_abstract},
  attempt{"pair-stream-to-path", turn_stream_to_path},
  attempt{"unix-service", connect_to_service},
  attempt{"unix-abstract", send_to_abstract},
  attempt{"usual-pair", use_pair},
  attempt{"usual-listener", open_low_port},
  attempt{"interface-down", configure_interface},
};

} // namespace

std::span<const attempt> socket_attempts() {
  return attempts;
}

} // namespace troupe::attacker
