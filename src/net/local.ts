// Local ranges: the addresses of this machine and its links. Their services are for this machine only.

import { type Cidr, parseCidr } from './cidr.ts'
import { listEmbeddedIpv4 } from './reach.ts'

const parseNamedBlocks = (...texts: string[]): readonly { readonly name: string; readonly block: Cidr }[] =>
  texts.map((name) => {
    const block = parseCidr(name)
    if (!block) throw new RangeError(`${name} is no CIDR`)
    return { name, block }
  })

/**
 * RFC 1122 section 3.2.1.3 (this network, loopback), RFC 3927 (link-local, which holds the metadata services of clouds), RFC 4291
 * sections 2.5.2, 2.5.3 and 2.5.6. Connections to an unspecified address reach the machine itself.
 */
const LOCAL = parseNamedBlocks('0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '::1/128', '::/128', 'fe80::/10')

/** No block that embeds IPv4 addresses has a longer prefix. */
const EMBEDDING_PREFIX = 96

type Values = Pick<Cidr, 'family' | 'first' | 'last'>

const findOverlap = ({ family, first, last }: Values): string | undefined =>
  LOCAL.find(({ block }) => block.family === family && block.first <= last && first <= block.last)?.name

/**
 * Returns the local range that shares an address with the block, as `127.0.0.0/8`; undefined where none does. An IPv6 block stands for
 * the IPv4 addresses that are embedded in it (see `computeReach`); blocks wider than a /96 are compared by their own addresses only.
 *
 * @example
 * findLocalRange({ family: 4, prefix: 24, first: 0x7f000000n, last: 0x7f0000ffn }) // '127.0.0.0/8'
 * findLocalRange({ family: 6, prefix: 112, first: 0xffff7f000000n, last: 0xffff7f00ffffn }) // '127.0.0.0/8'
 * findLocalRange({ family: 4, prefix: 24, first: 0x0a000000n, last: 0x0a0000ffn }) // undefined
 */
export function findLocalRange({ family, prefix, first, last }: Cidr): string | undefined {
  const own = findOverlap({ family, first, last })
  if (own !== undefined || family === 4 || prefix < EMBEDDING_PREFIX) return own
  // All addresses of the block share the bits above the lowest 32, so they embed in the same way.
  const ends = listEmbeddedIpv4(last)
  return listEmbeddedIpv4(first)
    .map((one, i): Values => {
      const other = ends[i] ?? one
      // The client of Teredo is stored inverted: the order of its addresses is reversed.
      return { family: 4, first: one < other ? one : other, last: one < other ? other : one }
    })
    .map(findOverlap)
    .find((name) => name !== undefined)
}
