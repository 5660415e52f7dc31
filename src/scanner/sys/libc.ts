/** Calls of the C library that Bun has no API for. Linux only. A crash ends only one scan. */
import { dlopen, ptr, read } from 'bun:ffi'

const NAMES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

const openFirst = () => {
  for (const name of NAMES) {
    try {
      return dlopen(name, {
        socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
        close: { args: ['i32'], returns: 'i32' },
        bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
        connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
        setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
        getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
        // They return a ssize_t; its lower half suffices for the size of a datagram.
        sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i32' },
        recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i32' },
        recvmmsg: { args: ['i32', 'ptr', 'u32', 'i32', 'ptr'], returns: 'i32' },
        poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
        if_nametoindex: { args: ['ptr'], returns: 'u32' },
        __errno_location: { args: [], returns: 'ptr' },
      }).symbols
    } catch {
      // Not this C library.
    }
  }
  return undefined
}

export type Libc = NonNullable<ReturnType<typeof openFirst>>

let opened: { readonly libc: Libc | undefined } | undefined

/** Undefined without a known C library: features that need it are left out. */
export const openLibc = (): Libc | undefined => {
  opened ??= { libc: process.platform === 'linux' ? openFirst() : undefined }
  return opened.libc
}

/** Why the last call failed. */
export const readErrno = (c: Libc): number => {
  const at = c.__errno_location()
  return at === null ? 0 : read.i32(at, 0)
}

/** Returns the address of a buffer, to be written into a structure of C. The buffer must live as long as the structure. */
export const getPointer = (buffer: Uint8Array): bigint => BigInt(ptr(buffer))

export const EAGAIN = 11
export const ENFILE = 23
export const EMFILE = 24
export const EADDRNOTAVAIL = 99
export const ENOBUFS = 105
export const ECONNRESET = 104
export const ECONNREFUSED = 111
export const EINPROGRESS = 115
const ENOMEM = 12

/** True if the machine lacked a resource: the probe was not sent, which is no information about the host. */
export const isNotSent = (errno: number): boolean =>
  [EAGAIN, ENOMEM, ENFILE, EMFILE, EADDRNOTAVAIL, ENOBUFS].includes(errno)

export const AF_INET = 2
export const AF_INET6 = 10
export const AF_NETLINK = 16
export const AF_PACKET = 17
export const SOCK_STREAM = 1
export const SOCK_DGRAM = 2
export const SOCK_RAW = 3
export const SOCK_NONBLOCK = 0o4000
export const SOCK_CLOEXEC = 0o2000000
export const SOL_SOCKET = 1
export const SO_ERROR = 4
export const SO_SNDBUF = 7
export const SO_RCVBUF = 8
export const SO_LINGER = 13
export const MSG_DONTWAIT = 0x40

/** Formats a 32-bit number as `setsockopt` takes it. */
export const encodeInt32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32LE(value)
  return buffer
}
