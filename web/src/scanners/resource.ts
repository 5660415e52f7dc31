/** How scanners are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { call } from '../api/client.ts'
import { contracts, type In } from '../api/contracts.ts'
import { buildResource } from '../resource/build-resource.ts'
import type { Resource } from '../resource/resource.ts'
import { fields } from './fields.ts'
import { type NewScanner, type Scanner, scannerQuery } from './queries.ts'

export const DELETE_WARNING =
  'Its credential ends at once, and its running scans fail; what they found stays. Networks keep its label, and wait until another scanner answers to it.'

const { update } = contracts.scanners

export const SCANNER_RESOURCE: Resource<Scanner> = buildResource<Scanner>(FACTS.scanners, fields, {
  order: ['name', 'tags', 'description', 'use_credentials'],
  affects: ['scans'],
  queryKey: (id) => scannerQuery(id).queryKey,
  // Without the ETag of the form: an online scanner has another one each minute. Only changed fields are sent.
  update: (id, input) => call(update, { ...input, id } as In<typeof update>),
})

/** @param onMade is called with the answer of a creation, which has the token */
export const buildNewScanner = (onMade: (made: NewScanner) => void): Resource<Scanner> => ({
  ...SCANNER_RESOURCE,
  create: async (input) => {
    // The form has the fields of the contract; the server validates their values.
    const made = await call(contracts.scanners.create, input as In<typeof contracts.scanners.create>)
    onMade(made)
    return made
  },
})
