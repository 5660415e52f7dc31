/** The URI of a libvirt. It comes from a server to the client that runs `virsh`, so it must start no other program there. */

export const DEFAULT_URI = 'qemu:///system'

/** Excludes `+ext` and queries, which name programs (https://libvirt.org/uri.html), and a host that begins with `-`. */
const URI =
  /^[a-z]{1,20}(?:\+(?:unix|ssh|libssh2?|tls|tcp))?:\/\/(?:(?:[A-Za-z0-9_][\w.-]{0,63}@)?(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)?(?:\/[\w./-]{0,1024})?$/

export const URI_RULE =
  'must be a URI of libvirt without a query, such as qemu:///system or qemu+ssh://root@host/system'

export const isLibvirtUri = (text: string): boolean => URI.test(text)
