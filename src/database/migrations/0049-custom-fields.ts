/** Custom fields. Objects keep their values themselves, in `custom` or in their documents; `custom_values` finds them. */
import type { Migration } from '../migrate.ts'

/** The tables whose rows are objects. The values of devices and their addresses are in `devices.doc`. */
const ROWS = ['spaces', 'datacenters', 'networks', 'vlans', 'pools', 'reservations']

export const customFields: Migration = {
  name: '0049-custom-fields',
  statements: ({ engine, text }) => [
    `CREATE TABLE custom_fields (
       id ${text} PRIMARY KEY,
       number INTEGER NOT NULL,
       resource ${text} NOT NULL,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       label ${text} NOT NULL,
       type ${text} NOT NULL,
       multiple INTEGER NOT NULL,
       choices ${text} NOT NULL,
       reference_to ${text},
       required INTEGER NOT NULL,
       "unique" INTEGER NOT NULL,
       "default" ${text} NOT NULL,
       pattern ${text} NOT NULL,
       minimum ${text},
       maximum ${text},
       searchable INTEGER NOT NULL,
       description ${text} NOT NULL,
       "group" ${text} NOT NULL,
       group_key ${text} NOT NULL,
       position INTEGER NOT NULL,
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX custom_fields_name ON custom_fields (resource, name)',
    'CREATE UNIQUE INDEX custom_fields_number ON custom_fields (number)',
    // No index by object: an object that changes knows its values.
    `CREATE TABLE custom_values (
       field INTEGER NOT NULL,
       value ${text} NOT NULL,
       object_id ${text} NOT NULL,
       PRIMARY KEY (field, value, object_id)
     )${engine === 'sqlite' ? ' WITHOUT ROWID' : ''}`,
    ...ROWS.map((table) => `ALTER TABLE ${table} ADD COLUMN custom ${text}`),
  ],
}
