/** Receives the complete body of an import before its transaction, so that a slow client never holds the writer. */

import { createBreathe } from '../../base/runtime/pause.ts'
import { createSpool, type Spool } from '../../base/runtime/spool.ts'
import { AppError } from '../../contract/errors.ts'
import { refuseProto } from '../../contract/own.ts'
import { readPacedBody } from '../../surfaces/http/answer/paced-body.ts'
import { type JsonRow, RowCutter } from '../../surfaces/http/body/json-rows.ts'
import { MAX_IMPORT_BYTES } from '../estate/api.ts'
import type { Row } from './row.ts'

/** The limits of a batch in rows, bytes and values: a batch of devices with many addresses would take long. */
const BATCH_ROWS = 100
const BATCH_LENGTH = 256 * 1024
const BATCH_VALUES = 750
/** The number of bytes that are processed between two checks of the clock: well under a millisecond. */
const PIECE_BYTES = 64 * 1024
/** The interval of checks of the client's rights while the body arrives. */
const CONFIRM_MS = 1000

export type Received = {
  /** The number of rows; 0 if the form is invalid. */
  readonly total: number
  readonly bytes: number
  /** The SHA-256 of the body in hexadecimal; undefined unless it was asked for. */
  readonly hash: string | undefined
  /** Parses rows on demand. @throws AppError for the first invalid row */
  readonly batches: () => AsyncGenerator<readonly Row[]>
  readonly close: () => Promise<void>
}

function* splitBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

const parseRow = ({ row, text }: JsonRow): Row => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AppError('INVALID_JSON', `row ${row}: is not valid JSON`, { cause })
  }
  refuseProto(value, text)
  // The splitter accepts only objects.
  return { row, value: value as Row['value'] }
}

async function* readRows(spool: Spool): AsyncGenerator<readonly JsonRow[]> {
  let rows: JsonRow[] = []
  const cutter = new RowCutter((row) => rows.push(row))
  for await (const bytes of spool.read()) {
    for (const piece of splitBytes(bytes)) {
      cutter.push(piece)
      if (rows.length === 0) continue
      yield rows
      rows = []
    }
  }
  cutter.end()
}

async function* readBatches(spool: Spool): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let length = 0
  let values = 0
  for await (const rows of readRows(spool)) {
    for (const row of rows) {
      batch.push(parseRow(row))
      length += row.text.length
      values += row.values
      if (batch.length < BATCH_ROWS && length < BATCH_LENGTH && values < BATCH_VALUES) continue
      yield batch
      batch = []
      length = 0
      values = 0
    }
  }
  if (batch.length > 0) yield batch
}

type Source = {
  readonly request: Request
  /** The folder for bytes that do not fit into memory. */
  readonly dir: string
  /** Rejects when the caller may no longer import: a body that takes hours holds a slot. */
  readonly confirmRights: () => Promise<void>
  /** Computes the hash of the body. */
  readonly isHashed?: boolean
}

/**
 * Reads the whole body, counts its rows and checks their form. An error of form is not thrown here but by `batches`,
 * because clients read an answer only after they have sent all.
 * @throws AppError as `readPacedBody`, `Spool.write` and `confirmRights`
 */
export const receive = async ({ request, dir, confirmRights, isHashed }: Source): Promise<Received> => {
  const spool = createSpool({ dir })
  const counter = new RowCutter()
  const breathe = createBreathe()
  let confirmedMs = performance.now()
  const hasher = isHashed ? new Bun.CryptoHasher('sha256') : undefined
  let size = 0
  let flaw: unknown
  const runUnlessFlawed = (step: () => void): void => {
    try {
      if (!flaw) step()
    } catch (error) {
      flaw = error
    }
  }
  try {
    for await (const bytes of readPacedBody(request, MAX_IMPORT_BYTES)) {
      size += bytes.length
      for (const piece of splitBytes(bytes)) {
        hasher?.update(piece)
        runUnlessFlawed(() => counter.push(piece))
        await breathe()
      }
      // After an error the rest is never read, so it need not be stored.
      if (!flaw) await spool.write(bytes)
      if (performance.now() - confirmedMs < CONFIRM_MS) continue
      await confirmRights()
      confirmedMs = performance.now()
    }
    await confirmRights()
    runUnlessFlawed(() => counter.end())
  } catch (error) {
    await spool.close()
    throw error
  }
  return {
    total: flaw ? 0 : counter.rows,
    bytes: size,
    hash: hasher?.digest('hex'),
    batches: async function* () {
      if (flaw) throw flaw
      yield* readBatches(spool)
    },
    close: spool.close,
  }
}
