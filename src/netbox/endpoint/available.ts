/** The routes that show and allocate what is free. Loads no store. */
import type { Declared as Route } from '../door/route.ts'
import { DECLARED } from './declared.ts'

export const PREFIXES_PATH = 'ipam/prefixes/{id}/available-prefixes'

const { resource, shows } = DECLARED['ipam/prefixes']

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
]
