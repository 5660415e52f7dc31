/** The secrets contract: operations on the encryption key. Browser-safe. */
import { z } from 'zod'
import { operation } from '../../kernel/operation.ts'

export const Rotation = z
  .object({
    rotated: z.int().describe('Values that were encrypted again'),
    remaining: z.int().describe('Values that still need an earlier key; 0 means that ENCRYPTION_KEY alone is enough'),
    key_id: z.string().describe('Id of the current key: the first 8 hexadecimal digits of its SHA-256'),
  })
  .meta({ id: 'Rotation', columns: ['rotated', 'remaining', 'key_id'] })
export type Rotation = z.infer<typeof Rotation>

export const secrets = {
  rotate: operation({
    name: 'secrets.rotate',
    summary: 'Encrypt all secrets again with the current ENCRYPTION_KEY',
    description:
      'Values that are encrypted with a key of ENCRYPTION_KEY_PREVIOUS are encrypted with ENCRYPTION_KEY instead, while the server keeps running. It can be repeated and interrupted at any time.',
    http: 'POST /api/secrets/rotate',
    effect: 'action',
    hasOwnTransactions: true,
    access: 'credentials:update',
    cli: { command: 'secrets rotate' },
    input: () => z.object({}),
    output: Rotation,
  }),
}
