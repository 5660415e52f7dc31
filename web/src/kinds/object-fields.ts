/** The fields of the objects of a kind. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields } from '../resource/facts/from-facts.ts'
import { createPlaceTest } from '../resource/tree/place-test.ts'
import { buildPaths, buildTreeKey } from '../resource/tree/tree.ts'
import type { Kind, KindObject } from './known-kinds.ts'

export type ListedKind = Pick<Kind, 'id' | 'singular' | 'nested' | 'located'>

const NONE: readonly never[] = []
const HIDDEN = { column: false, filter: false, isDetail: false, isSearched: false } as const

type Given = {
  /** The objects of the kind, of which a list is ordered as a tree. */
  readonly objects?: readonly KindObject[]
  readonly datacenters?: Parameters<typeof createPlaceTest>[0]
}

export const buildObjectFields = (
  { nested, located }: ListedKind,
  { objects = NONE, datacenters = NONE }: Given = {},
) => {
  const paths = nested ? buildPaths(objects) : new Map<string, readonly KindObject[]>()
  return buildFields(
    FACTS.objects,
    {
      kind_id: { ...HIDDEN, form: { render: () => null } },
      name: {
        column: { width: 220 },
        ...(nested && { sort: (row) => buildTreeKey(paths.get(row.id) ?? NONE, row) }),
      },
      parent_id: { label: 'Parent', ...(!nested && { ...HIDDEN, form: { isShown: () => false } }) },
      datacenter_id: {
        filter: { name: 'dc', test: createPlaceTest(datacenters) },
        ...(!located && { ...HIDDEN, form: { isShown: () => false } }),
      },
      description: { column: { width: 260 } },
      created_at: { isDetail: false },
    },
    { names: new Map([...objects, ...datacenters].map(({ id, name }) => [id, name] as const)) },
  )
}
