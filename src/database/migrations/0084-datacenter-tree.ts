/** The datacenter that a datacenter is below. */
import type { Migration } from '../migrate.ts'

export const datacenterTree: Migration = {
  name: '0084-datacenter-tree',
  // An older program shows only the objects of a datacenter itself to the callers of a scope, and drops the field from its history.
  floor: 'this',
  statements: ({ text }) => [
    `ALTER TABLE datacenters ADD COLUMN parent_id ${text} REFERENCES datacenters (id)`,
    'CREATE INDEX datacenters_parent ON datacenters (parent_id) WHERE parent_id IS NOT NULL',
  ],
}
