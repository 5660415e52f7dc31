/** Custom fields of the type `ip`, which older programs do not know, and the condition under which a custom field applies. */
import type { Migration } from '../migrate.ts'

export const customConditions: Migration = {
  name: '0086-custom-conditions',
  floor: 'this',
  statements: ({ text }) => [`ALTER TABLE custom_fields ADD COLUMN only_for ${text}`],
}
