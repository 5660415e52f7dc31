/** What changed in the estate: one row for each change, and for each of its objects the document that was there before. */
import type { Migration } from '../migrate.ts'

export const history: Migration = {
  name: '0040-history',
  statements: ({ engine, text, serial, bigint }) => [
    `CREATE TABLE changes (
       seq ${serial},
       id ${text} NOT NULL,
       at ${bigint} NOT NULL,
       operation ${text} NOT NULL,
       user_id ${text} NOT NULL,
       username ${text} NOT NULL,
       via ${text} NOT NULL,
       key_id ${text} NOT NULL,
       oauth_client ${text} NOT NULL,
       tool ${text} NOT NULL,
       ip_address ${text} NOT NULL,
       request_id ${text} NOT NULL,
       note ${text} NOT NULL,
       counts ${text} NOT NULL,
       undoes ${text},
       undone_by ${text},
       snapshot_xmax ${bigint} NOT NULL
     )`,
    'CREATE UNIQUE INDEX changes_id ON changes (id)',
    'CREATE INDEX changes_at ON changes (at, seq)',
    'CREATE INDEX changes_undoes ON changes (undoes, seq) WHERE undoes IS NOT NULL',
    // In the order of its key: the history of an object lies together.
    `CREATE TABLE history (
       kind ${text} NOT NULL,
       id ${text} NOT NULL,
       seq ${bigint} NOT NULL,
       sort_key ${text},
       derived ${text},
       child_id ${text},
       before ${text},
       PRIMARY KEY (kind, id, seq)
     )${engine === 'sqlite' ? ' WITHOUT ROWID' : ''}`,
    'CREATE INDEX history_seq ON history (seq, kind, id)',
    // In the order of lists: as of a moment they are read without being sorted.
    'CREATE INDEX history_sort ON history (kind, sort_key, id, seq) WHERE sort_key IS NOT NULL',
    'CREATE INDEX history_child ON history (child_id, seq) WHERE child_id IS NOT NULL',
    `ALTER TABLE audit ADD COLUMN change_id ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE events ADD COLUMN change_id ${text} NOT NULL DEFAULT ''`,
    `CREATE TABLE history_extent (
       id INTEGER PRIMARY KEY,
       begins_at ${bigint} NOT NULL
     )`,
  ],
}
