// The answer to an AXFR query (RFC 5936 section 2.2): the records of a zone, between two copies of its SOA.

import { CLASS_IN } from './codes.ts'
import { DnsFormatError } from './format-error.ts'
import type { DnsMessage } from './message.ts'
import { isNameWithin } from './name.ts'
import type { DnsRecord } from './record.ts'

export type TransferReader = {
  /** True after the second SOA. */
  readonly isComplete: () => boolean
  /**
   * Takes the next message of the answer. Its response code must be NOERROR.
   *
   * @returns its records of the zone, without the second SOA
   * @throws DnsFormatError on a message that is not part of a transfer
   */
  readonly take: (message: DnsMessage) => DnsRecord[]
}

/** Reads the transfer of a zone with a canonical name. */
export function createTransferReader(zone: string): TransferReader {
  let soa: DnsRecord | undefined
  let isComplete = false

  const isEnd = (record: DnsRecord): boolean => {
    if (record.type !== 'SOA' || record.name !== zone) {
      if (soa === undefined) throw new DnsFormatError('a transfer does not begin with the SOA of its zone')
      return false
    }
    if (soa !== undefined && soa.value !== record.value)
      throw new DnsFormatError('a transfer begins and ends with different SOA records')
    const isSecond = soa !== undefined
    soa = record
    return isSecond
  }

  return {
    isComplete: () => isComplete,
    take: ({ answers }) => {
      if (answers.length === 0) throw new DnsFormatError('a message of a transfer is empty')
      const records: DnsRecord[] = []
      for (const record of answers) {
        if (isComplete) throw new DnsFormatError('records follow the end of a transfer')
        isComplete = isEnd(record)
        // Records outside of the zone, such as glue of others, are not part of it.
        if (!isComplete && record.recordClass === CLASS_IN && isNameWithin(record.name, zone)) records.push(record)
      }
      return records
    },
  }
}
