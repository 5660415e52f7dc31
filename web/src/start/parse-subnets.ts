/** Reads a list of subnets: one a line, and a name may follow it. Pure. */
import { parseCidr } from '../../../src/net/cidr.ts'

export type Subnet = {
  /** 1 is the first. */
  readonly line: number
  readonly subnet: string
  readonly name: string
}

export type Subnets = { readonly good: readonly Subnet[]; readonly wrong: readonly string[] }

/** The text up to a blank, a comma or a tab, and the name after them. */
const LINE = /^([^\s,;]+)[\s,;]*(.*)$/

/** Returns a text of CSV without its quotes. */
const unquote = (text: string): string => text.replace(/^"(.*)"$/, '$1').trim()

/**
 * Returns the subnets, and a message for each other line that is not empty.
 * @example parseSubnets('10.0.0.0/8 Company').good // [{ line: 1, subnet: '10.0.0.0/8', name: 'Company' }]
 */
export const parseSubnets = (text: string): Subnets => {
  const good: Subnet[] = []
  const wrong: string[] = []
  for (const [i, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const [, first = '', rest = ''] = LINE.exec(raw.trim()) ?? []
    if (first === '') continue
    const subnet = unquote(first)
    if (subnet.includes('/') && parseCidr(subnet)) good.push({ line: i + 1, subnet, name: unquote(rest) || subnet })
    else wrong.push(`Line ${i + 1}: ${subnet} is not a subnet`)
  }
  return { good, wrong }
}
