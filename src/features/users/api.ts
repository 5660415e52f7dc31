/** The users contract. Browser-safe. */
import { z } from 'zod'
import { Name, Timestamp } from '../../platform/fields.ts'

export const User = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    full_name: z.string(),
    is_active: z.boolean(),
    roles: z.array(z.string()).describe('Names of roles, sorted'),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_login_at: Timestamp.nullable(),
  })
  .meta({ id: 'User', columns: ['id', 'username', 'full_name', 'email', 'roles', 'is_active'] })
export type User = z.infer<typeof User>

/** A new username: like a name, and on one line. */
export const Username = Name.refine((name) => !/\p{Cc}/u.test(name), { error: 'must not contain control characters' })
