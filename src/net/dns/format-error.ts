// The one error of everything in this folder that reads bytes from the network.

/** Bytes that are not a DNS message (RFC 1035 section 4), or not the expected one. */
export class DnsFormatError extends Error {
  override readonly name = 'DnsFormatError'
}
