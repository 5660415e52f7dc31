/** `ipam/services`: objects of the kind `services`, to read. Without the kind there are none. */
import { type SqlBool, sql } from 'kysely'
import { toNameKey } from '../../../net/name-order.ts'
import { SERVICE_PROTOCOL } from '../../choices/addresses.ts'
import { refuseField } from '../../door/errors.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { head, readOnly, times } from '../../endpoint/fields.ts'
import { choiceFilter, type Filter, ownFilter, parseInteger, textFilter } from '../../endpoint/filter.ts'
import { objectFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { nestAddress } from '../../world/addresses.ts'
import { isMachine } from '../../world/machines.ts'
import { NESTED_SETS, nestDevice, toDescription } from '../../world/nested.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { NumberField } from '../../world/world.ts'
import { customObjectFilters, hasCustomObject, tagFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'
import { listNames } from './prefix-filters.ts'
import { SERVICES_KIND, type ServiceItem, serviceSource } from './service-items.ts'

const custom = new CustomFields<ServiceItem>(SERVICES_KIND, ({ object }) => object.custom)
custom.reserve('device', 'ports', 'addresses')
const { description, comments } = descriptionFields<ServiceItem>(({ object }) => object.description)

const getParentKind = ({ device }: ServiceItem) => {
  if (!device) return null
  return isMachine(device) ? 'virtualization.virtualmachine' : 'dcim.device'
}

const getProtocol = ({ object }: ServiceItem): string | null => {
  const { protocol } = object.custom ?? {}
  return typeof protocol === 'string' && Object.hasOwn(SERVICE_PROTOCOL, protocol) ? protocol : null
}

const displayService = (item: ServiceItem): string =>
  `${item.object.name} (${(getProtocol(item) ?? '').toUpperCase()}/${item.ports.join()})`

const PARENTS = { 'dcim.device': 'dcim.device', 'virtualization.virtualmachine': 'virtualization.virtualmachine' }

/** The number of a device or of a virtual machine. */
const parentNumber: Filter<ServiceItem> = {
  lookups: ['', 'n'],
  type: 'integer',
  compile: async ({ parameter, lookup, values }, world) => {
    const numbers = values
      .filter((value) => value !== '')
      .map((value) => {
        const parsed = parseInteger(value)
        if (parsed === undefined) throw refuseField(parameter, 'Enter a number.')
        return parsed
      })
    if (numbers.length === 0) return undefined
    const keys: string[] = []
    for (const kind of ['dcim.device', 'virtualization.virtualmachine'] as const)
      keys.push(...(await RESOLVERS[kind].byNumbers(world, numbers)).values())
    const isNegative = lookup === 'n'
    const held = hasCustomObject(custom, 'device', 'objects.id')({ keys, isNoneWanted: false }, world)
    return {
      name: `${parameter}=${values.join()}`,
      test: ({ device }) => (device !== undefined && keys.includes(device.id)) !== isNegative,
      sql: isNegative ? sql<SqlBool>`NOT (${held})` : held,
    }
  },
}

const parentFilters = (name: 'device' | 'virtual_machine', kind: keyof typeof PARENTS) =>
  objectFilters<ServiceItem>(name, 'name', {
    of: RESOLVERS[kind],
    keys: (item) => (item.device && getParentKind(item) === kind ? [item.device.id] : []),
  })

export const services: Endpoint<ServiceItem> = {
  path: 'ipam/services',
  kind: 'ipam.service',
  key: ({ object }) => object.id,
  brief: ['id', 'url', 'display', 'name', 'protocol', 'ports', 'description'],
  fields: [
    ...head<ServiceItem>({ page: ({ object }) => `/objects/${object.id}`, display: displayService }),
    readOnly('parent_object_type', 'string', getParentKind),
    readOnly('parent_object_id', 'integer', (item) => {
      const kind = getParentKind(item)
      return kind && item.device ? new NumberField(kind, item.device.id) : null
    }),
    readOnly('parent', 'json', ({ device }, world) => (device ? nestDevice(world, device) : null)),
    readOnly('name', 'string', ({ object }) => object.name),
    custom.choice('protocol', SERVICE_PROTOCOL),
    readOnly('ports', 'integers', ({ ports }) => ports),
    readOnly('ipaddresses', { is: 'objects', of: 'ipam.ipaddress', isNested: true }, ({ addresses }, world) =>
      // Clients with types of NetBox's document expect whole addresses here, which must have this field.
      addresses.map((one) => nestAddress(world, one, { nat_outside: [] })),
    ),
    description,
    custom.nothing('owner'),
    comments,
    custom.tags(),
    custom.rest(),
    ...times<ServiceItem>(({ object }) => object),
  ],
  custom,
  source: serviceSource,
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['extras.tag', 'dcim.manufacturer'],
      definitions: [SERVICES_KIND, 'spaces', 'tenants'],
    }),
  filters: {
    q: ownFilter({
      message: 'Enter a word.',
      parse: (word) => toNameKey(word.trim()),
      test: ({ object }, word) => [object.name, object.description].some((one) => toNameKey(one).includes(word)),
    }),
    name: textFilter({ get: ({ object }) => object.name, isAnyCase: true }),
    description: textFilter({ get: ({ object }) => toDescription(object.description) }),
    ...parentFilters('device', 'dcim.device'),
    ...parentFilters('virtual_machine', 'virtualization.virtualmachine'),
    parent_object_type: choiceFilter({ choices: PARENTS, get: getParentKind }),
    parent_object_id: parentNumber,
    port: ownFilter({
      type: 'integer',
      lookups: ['', 'n'],
      message: 'Enter a number.',
      parse: parseInteger,
      test: ({ ports }, port) => ports.includes(port),
    }),
    protocol: choiceFilter({ choices: SERVICE_PROTOCOL, get: getProtocol }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
    ...tagFilters<ServiceItem>((item, world) => listNames(custom, item, world, 'tags')),
  },
}
