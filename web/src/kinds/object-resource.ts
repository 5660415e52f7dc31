/** How the objects of a kind are read and written. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { buildResource } from '../resource/build-resource.ts'
import type { FieldSpec, Resource } from '../resource/resource.ts'
import { toSentenceCase } from '../ui/format.ts'
import type { KindObject } from './known-kinds.ts'
import { buildObjectFields, type ListedKind } from './object-fields.ts'

/** Returns how the objects of a kind are read and written. A new one is of this kind. */
export const buildObjectResource = (kind: ListedKind): Resource<KindObject> => {
  const parent: Partial<FieldSpec> = { filter: { kind_id: kind.id } }
  return buildResource<KindObject>(FACTS.objects, buildObjectFields(kind), {
    noun: toSentenceCase(kind.singular),
    order: ['name', 'parent_id', 'datacenter_id', 'custom', 'description'],
    controls: {
      kind_id: { initial: kind.id, isShown: (_, isNew) => isNew },
      parent_id: parent,
      custom: buildCustomControl(kind.id),
    },
  })
}
