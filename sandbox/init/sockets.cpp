#include "troupe/sandbox/init/sockets.hpp"

#include <net/if.h>

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::init {

namespace {

bool read_address(const char* text, sockaddr_in& to) {
  to.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text, &to.sin_addr) == 1)
    return true;
  errno = EINVAL;
  return false;
}

// By an alias of the interface, the old way, which needs no netlink.
bool add_address(const char* text) {
  auto address = sockaddr_in{};
  auto request = ifreq{};
  std::strcpy(request.ifr_name, "lo:1");
  if (!read_address(text, address))
    return false;
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  auto fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return false;
  auto done = ::ioctl(fd, SIOCSIFADDR, &request) == 0;
  auto before = errno;
  ::close(fd);
  errno = before;
  return done;
}

bool prepare(int fd, const mount_step& x) {
  auto address = sockaddr_in{};
  if (!read_address(x.path, address))
    return false;
  address.sin_port = htons(static_cast<uint16_t>(x.what.a));
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address)
           == 0
         && (x.what.kind == step_kind::bind_udp
             || ::listen(fd, SOMAXCONN) == 0);
}

} // namespace

bool sockets::is_about(const step& what) {
  return what.kind == step_kind::listen_tcp || what.kind == step_kind::bind_udp
         || what.kind == step_kind::address;
}

void sockets::add(int fd) {
  if (fd >= 0)
    fds_[count_++] = fd;
}

bool sockets::open(const mount_step& x) {
  if (x.what.kind == step_kind::address)
    return add_address(x.path);
  if (count_ == max_sockets) {
    errno = EMFILE;
    return false;
  }
  auto type = x.what.kind == step_kind::listen_tcp ? SOCK_STREAM : SOCK_DGRAM;
  auto fd = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return false;
  fds_[count_++] = fd;
  return prepare(fd, x);
}

void sockets::send(const answer& what) {
  auto copy = what;
  auto data = iovec{&copy, sizeof copy};
  auto message = msghdr{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof fds_)] = {};
  if (count_ > 0 && what.error == 0) {
    auto size = count_ * sizeof(int);
    message.msg_control = space;
    message.msg_controllen = CMSG_SPACE(size);
    auto* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(part), fds_.data(), size);
  }
  ::sendmsg(control_fd, &message, MSG_NOSIGNAL);
  for (auto i = uint32_t{0}; i < count_; ++i)
    ::close(fds_[i]);
  count_ = 0;
}

} // namespace troupe::init
