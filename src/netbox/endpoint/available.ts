/** The routes that show and allocate what is free. Loads no store. */
import type { Permission } from '../../kernel/operation.ts'
import type { Declared as Route } from '../door/route.ts'
import { DECLARED } from './declared.ts'

export const PREFIXES_PATH = 'ipam/prefixes/{id}/available-prefixes'

const { resource, shows } = DECLARED['ipam/prefixes']

/** The objects that have addresses to give out. */
export const PARENT_PATHS = ['ipam/prefixes', 'ipam/ip-ranges'] as const

export const toAddressesPath = (parent: (typeof PARENT_PATHS)[number]): string => `${parent}/{id}/available-ips`

const listAddressRoutes = (parent: (typeof PARENT_PATHS)[number], access: Permission): Route[] => {
  const { label, resource: own, shows: others } = DECLARED[parent]
  return [
    {
      method: 'GET',
      path: toAddressesPath(parent),
      access,
      scope: 'filter',
      shows: [own, ...others],
      summary: `List the lowest free addresses of one ${label}`,
    },
    {
      method: 'POST',
      path: toAddressesPath(parent),
      access: { anyOf: ['reservations:create', 'devices:update'] },
      scope: 'checkWrite',
      audit: { action: 'create', resource: 'ip_address' },
      summary: `Allocate free addresses of one ${label}`,
    },
  ]
}

export const AVAILABLE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: PREFIXES_PATH,
    access: 'networks:read',
    scope: 'filter',
    shows: [resource, ...shows],
    summary: 'List the free blocks of a prefix',
  },
  {
    method: 'POST',
    path: PREFIXES_PATH,
    access: 'networks:create',
    scope: 'checkWrite',
    audit: { action: 'create', resource: 'prefix' },
    summary: 'Allocate prefixes in the free blocks of a prefix',
  },
  ...listAddressRoutes('ipam/prefixes', 'networks:read'),
  ...listAddressRoutes('ipam/ip-ranges', 'pools:read'),
]
