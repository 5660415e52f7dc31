/** Discovered devices say whether their MAC was drawn at random, and are recognised by locally administered MACs. */
import type { Migration } from '../migrate.ts'

/** A locally administered address of one interface: bit 1 of the first octet is set, bit 0 is not (RFC 9542 section 2.1). */
const LOCAL = `length(mac_address) = 17 AND substr(mac_address, 2, 1) IN ('2', '6', 'a', 'e')`
/** Prefixes that hypervisors, container runtimes and clusters assign. */
const ASSIGNED = `mac_address LIKE '52:54:00:%' OR mac_address LIKE '02:42:%' OR mac_address LIKE '0a:58:%'
  OR mac_address LIKE 'fa:16:3e:%' OR mac_address LIKE '02:bf:%'`

export const randomMacs: Migration = {
  name: '0030-random-macs',
  statements: () => [
    'ALTER TABLE discovered_devices ADD COLUMN random_mac INTEGER NOT NULL DEFAULT 0',
    `UPDATE discovered_devices SET random_mac = 1
       WHERE id IN (SELECT device_id FROM discovered_texts WHERE ${LOCAL} AND NOT (${ASSIGNED}))`,
    `UPDATE discovered_devices SET doc = substr(doc, 1, length(doc) - 1) || CASE random_mac
       WHEN 1 THEN ',"random_mac":true}' ELSE ',"random_mac":false}' END`,
    // One MAC at more than eight addresses is a router that answers for others, and identifies none of them.
    `INSERT INTO discovered_identities (place, key, device_id)
       SELECT network_id || ' mac:' || mac_address, 'mac:' || mac_address, CASE WHEN count(*) > 8 THEN NULL ELSE min(id) END
       FROM discovered_devices JOIN discovered_texts ON device_id = id
       WHERE ${LOCAL} AND mac_address NOT LIKE '02:bf:%' GROUP BY network_id, mac_address
       ON CONFLICT (place) DO NOTHING`,
  ],
}
