/** The fields of a scope, a named part of the estate. */
import { buildNameField, type Fields, ID_FIELD, TIME_FIELDS } from '../../resource/fields.ts'
import type { Scope } from '../types.ts'

/** A scope is sent with kinds only if it has some. */
export type ScopeWithKinds = Scope & { readonly kind_ids?: readonly string[] | undefined }

/** Names of datacenters, address spaces or kinds, by their ids. */
export type Names = ReadonlyMap<string, string>

export const NO_NAMES: Names = new Map()

/** Returns the names of ids. An id without a known name is shown as it is. */
export const toNames = (ids: readonly string[], names: Names): readonly string[] => ids.map((id) => names.get(id) ?? id)

type AllNames = { readonly datacenters?: Names; readonly spaces?: Names; readonly kinds?: Names }

export const buildScopeFields = ({
  datacenters = NO_NAMES,
  spaces = NO_NAMES,
  kinds = NO_NAMES,
}: AllNames = {}): Fields<ScopeWithKinds> => ({
  id: ID_FIELD,
  name: buildNameField(180),
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 240 }, sort: false, filter: false },
  datacenter_ids: {
    label: 'Datacenters',
    text: ({ datacenter_ids }) => toNames(datacenter_ids, datacenters),
    column: { id: 'datacenters', width: 180 },
    sort: false,
    filter: { name: 'dc', hasFacet: true },
  },
  space_ids: {
    label: 'Address spaces',
    text: ({ space_ids }) => toNames(space_ids, spaces),
    column: { id: 'spaces', width: 140 },
    sort: false,
    filter: { name: 'space', hasFacet: true },
    isOptional: true,
  },
  kind_ids: {
    label: 'Kinds',
    text: ({ kind_ids = [] }) => toNames(kind_ids, kinds),
    column: { id: 'kinds', width: 140 },
    sort: false,
    filter: { name: 'kind', hasFacet: true },
    isOptional: true,
  },
  subnets: {
    label: 'Subnets',
    column: { width: 220, isMono: true },
    sort: false,
    filter: { name: 'subnet', hasFacet: true },
  },
  tags: {
    label: 'Tags',
    form: { kind: 'tags', hint: 'Of devices and pools, with commas between them' },
    column: { width: 160 },
    sort: false,
    filter: { name: 'tag', hasFacet: true },
  },
  ...TIME_FIELDS,
})
