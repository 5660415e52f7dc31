/** The audit trail: its entries, and the chains of hashes that they hang on. */
import type { Migration } from '../migrate.ts'

/** Writers at one time that need not wait for one another. SQLite has one, and uses the first chain alone. */
const CHAINS = 32

const chains = Array.from({ length: CHAINS }, (_, chain) => `(${chain}, 0, '', 0, '', '')`)

export const audit: Migration = {
  name: '0005-audit',
  statements: ({ text, bigint }) => [
    `CREATE TABLE audit_chains (
       chain INTEGER PRIMARY KEY,
       start_seq ${bigint} NOT NULL,
       start_hash ${text} NOT NULL,
       end_seq ${bigint} NOT NULL,
       end_hash ${text} NOT NULL,
       signature ${text} NOT NULL
     )`,
    `INSERT INTO audit_chains (chain, start_seq, start_hash, end_seq, end_hash, signature) VALUES ${chains.join(', ')}`,

    `CREATE TABLE audit (
       id ${text} PRIMARY KEY,
       timestamp ${text} NOT NULL,
       action ${text} NOT NULL,
       resource ${text} NOT NULL,
       resource_id ${text} NOT NULL,
       user_id ${text} NOT NULL,
       username ${text} NOT NULL,
       key_id ${text} NOT NULL,
       ip_address ${text} NOT NULL,
       changes ${text} NOT NULL,
       status ${text} NOT NULL,
       error ${text} NOT NULL,
       request_id ${text} NOT NULL,
       chain INTEGER NOT NULL,
       seq ${bigint} NOT NULL,
       hash ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX audit_chain ON audit (chain, seq)',
    'CREATE INDEX audit_resource ON audit (resource_id, id)',
    'CREATE INDEX audit_user ON audit (user_id, id)',
    'CREATE INDEX audit_kind ON audit (resource, action, status, id)',
  ],
}
