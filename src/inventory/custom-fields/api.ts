/** The contract of custom fields: the definitions of the values that objects have in `custom`. Browser-safe. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { customFieldCrud } from '../../resource/custom/schema.ts'

export const customFields = {
  ...customFieldCrud.operations,
  delete: operation({
    name: 'custom-fields.delete',
    summary: 'Delete a custom field; one with values only with `force`, which deletes them too',
    http: 'DELETE /api/custom-fields/{id}',
    hasHistory: true,
    access: 'custom-fields:delete',
    input: () =>
      z.object({
        id: idOf('custom-fields'),
        force: z.boolean().optional().describe('Deletes the values of all objects too'),
      }),
    output: () => z.void(),
  }),
}
