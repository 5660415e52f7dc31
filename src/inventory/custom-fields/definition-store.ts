/** The store of the definitions of custom fields. */

import { noteWrite } from '../../resource/custom/definitions-writers.ts'
import { type StoredField, toField, toRow, toStored } from '../../resource/custom/store.ts'
import { objectStore } from '../../resource/store.ts'
import { customFieldFacts } from './resource.ts'

export const definitions = objectStore<typeof customFieldFacts, StoredField>(customFieldFacts, {
  rows: {
    columns: [
      ...[
        'id',
        'number',
        'resource',
        'name',
        'name_key',
        'name_order',
        'label',
        'type',
        'multiple',
        'choices',
        'reference_to',
      ],
      ...['required', 'unique', 'default', 'pattern', 'minimum', 'maximum', 'searchable', 'description'],
      ...['group', 'group_key', 'position', 'only_for', 'refs', 'managed_by', 'created_at', 'updated_at'],
    ],
    toRows: (_, all) => all.map(toRow),
    fromRow: toStored,
  },
  toDocument: toField,
  orderBy: ['resource', 'group_key', 'position', 'name_order', 'id'],
  onWrite: noteWrite,
  // Reads in between are of the rows before.
  writeParts: async (ctx) => noteWrite(ctx),
})
