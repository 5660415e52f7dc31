/** `ipam/ip-ranges`: pools. */
import { FAMILY, RANGE_STATUS } from '../../choices/addresses.ts'
import { CustomFields, resolveTags } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { head, readOnly, reference, TAG_LIST, text, times } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { getFamily, toFamily, withMask } from '../../world/addresses.ts'
import { NESTED_SETS, nestTag, nestVrf } from '../../world/nested.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { createRangeFilters, describeRange } from './range-filters.ts'
import { type RangeItem, rangeSource } from './range-items.ts'
import { rangeWrites, writeEnd, writeRangeName, writeVrf } from './range-writes.ts'

const custom = new CustomFields<RangeItem>('pools', ({ pool }) => pool.custom)

/** Returns the part of an address that differs from another one. @example cutCommon('10.0.0.9', '10.0.0.1') // '9' */
const cutCommon = (address: string, other: string): string => {
  const separator = address.includes(':') ? ':' : '.'
  const [chunks, others] = [address.split(separator), other.split(separator)]
  const at = chunks.findIndex((chunk, i) => chunk !== others[i])
  return chunks.slice(at).join(separator)
}

const displayRange = ({ pool: { start_ip, end_ip }, mask }: RangeItem): string =>
  `${start_ip}-${cutCommon(end_ip, start_ip)}/${mask}`

export const ranges: Endpoint<RangeItem> = {
  path: 'ipam/ip-ranges',
  kind: 'ipam.iprange',
  key: ({ pool }) => pool.id,
  brief: ['id', 'url', 'display', 'family', 'start_address', 'end_address', 'description'],
  fields: [
    ...head<RangeItem>({ page: ({ pool }) => `/pools/${pool.id}`, display: displayRange }),
    readOnly('family', { is: 'choice', of: FAMILY, isNumber: true }, ({ pool }) => toFamily(getFamily(pool.start_ip))),
    {
      name: 'start_address',
      type: { is: 'string' },
      isRequired: true,
      read: ({ pool, mask }) => withMask(pool.start_ip, mask),
      write: writeEnd('start'),
    },
    {
      name: 'end_address',
      type: { is: 'string' },
      isRequired: true,
      read: ({ pool, mask }) => withMask(pool.end_ip, mask),
      write: writeEnd('end'),
    },
    readOnly('size', 'integer', ({ size }) => size),
    reference('vrf', {
      of: RESOLVERS['ipam.vrf'],
      read: ({ spaceId }, world) => nestVrf(world, spaceId),
      to: writeVrf,
    }),
    custom.tenant(),
    custom.choice('status', RANGE_STATUS, { usual: 'active' }),
    custom.role(),
    { name: 'description', type: { is: 'string' }, read: describeRange, write: writeRangeName },
    custom.nothing('owner'),
    text('comments', { read: ({ pool }) => pool.description, to: 'description' }),
    {
      name: 'tags',
      type: TAG_LIST,
      read: ({ pool }, world) => pool.tags.map((tag) => nestTag(world, tag)),
      write: async (value, draft) => {
        const tags = await resolveTags(draft, value)
        if (tags !== undefined) draft.set('tags', tags)
      },
    },
    custom.rest(),
    ...times<RangeItem>(({ pool }) => pool),
    custom.flag('mark_populated'),
    custom.flag('mark_utilized'),
  ],
  custom,
  source: rangeSource,
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['ipam.role', 'extras.tag', 'dcim.manufacturer'],
      definitions: ['pools', 'spaces', 'tenants'],
    }),
  filters: createRangeFilters(custom),
  writes: rangeWrites,
}
