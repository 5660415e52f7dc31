// Declares the settings of sources, which are part of VARIABLES.

import { formatCidr } from '../../net/cidr.ts'
import { InvalidValue, list, type Parser, parseAddressOrCidr } from './values.ts'

const MAX_SOCKET_PATH = 255

/** Parses an address or a CIDR, in its normal form, or a path of a local socket as it is. */
const parseSourceTarget: Parser<string> = (value) => {
  if (!value.startsWith('unix:')) return formatCidr(parseAddressOrCidr(value))
  const path = value.slice('unix:'.length)
  const isPlain = /^\/[^/]/.test(path) && !/\/\.{0,2}(\/|$)|\p{Cc}/u.test(path) && path.length <= MAX_SOCKET_PATH
  if (!isPlain) throw new InvalidValue('must name a socket by its absolute path, like unix:/run/podman/podman.sock')
  return value
}

export const SOURCE_VARIABLES = {
  sourceTargets: {
    name: 'SOURCE_TARGETS',
    default: '',
    parse: list(parseSourceTarget),
    help: 'Loopback and link-local addresses and sockets of this machine that sources may read: IP addresses, CIDRs and unix:/path, comma-separated',
  },
} as const
