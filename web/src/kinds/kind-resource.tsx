/** How kinds are read and written. The switches and the fields of a kind are on its page. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { RESOURCE_KEYS } from '../live/keys.ts'
import { buildResource } from '../resource/build-resource.ts'
import { buildFields } from '../resource/facts/from-facts.ts'
import type { Resource } from '../resource/resource.ts'
import { IconRow } from './icon-row.tsx'
import type { Kind } from './known-kinds.ts'

const HIDDEN = { form: { isShown: () => false }, column: false, filter: false } as const

export const fields = buildFields(FACTS.kinds, {
  name: { column: { width: 250 }, form: { hint: 'In the plural, as the list is called' } },
  singular: { form: { hint: 'As in New circuit; made of the name, where empty' }, column: { width: 150 } },
  description: { form: { hint: 'Shown above the list' }, column: { width: 280 } },
  icon: {
    column: false,
    filter: false,
    form: { render: ({ value, onChange }) => <IconRow value={value} onChange={onChange} /> },
  },
  nested: HIDDEN,
  located: HIDDEN,
  unique_names: HIDDEN,
  navigation: HIDDEN,
  position: {
    column: false,
    form: { section: 'More', hint: 'The order in the sidebar, then by name' },
  },
})

export const KIND_RESOURCE: Resource<Kind> = buildResource<Kind>(FACTS.kinds, fields, {
  order: ['name', 'singular', 'icon', 'description', 'position'],
  affects: RESOURCE_KEYS['custom-fields'] ?? [],
})
