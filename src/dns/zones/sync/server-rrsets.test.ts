/** The RRsets that a transfer is made into, from servers on loopback. */
import { afterAll, expect, test } from 'bun:test'
import { fillZone } from '../../../../testing/hostile/hostile-dns.ts'
import { clientOf, closeServers, failureOf } from '../../../../testing/servers/dns-answers.ts'
import { fetchServerRrsets } from './server-rrsets.ts'

const SIGNAL = new AbortController().signal
afterAll(closeServers)

test('an RRset with more records than a message can hold is refused', async () => {
  const client = await clientOf(fillZone({ labels: [], isUnique: false, type: 'A', rdata: [192, 0, 2, 1] }, 150_000))
  const error = await failureOf(fetchServerRrsets(client, 'example.org', SIGNAL))
  expect([error.kind, error.message]).toEqual([
    'bad_answer',
    'bad answer: an RRset of type A has more than 5461 records',
  ])
})

test('texts that fill the bytes of a zone are refused', async () => {
  const flood = { labels: [], isUnique: true, type: 'TXT', rdata: [255, ...new Array<number>(255).fill(0x61)] }
  const client = await clientOf(fillZone(flood, 2_000_000), { maxRecords: 5000 })
  const error = await failureOf(fetchServerRrsets(client, 'example.org', SIGNAL))
  expect([error.kind, error.message]).toEqual([
    'too_large',
    'the zone has more than 1,280,000 bytes: the bound is DNS_MAX_RECORDS=5000, with 256 bytes for each',
  ])
})
