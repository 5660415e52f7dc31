/** The ways to sign in that the server offers. */
import { queryOptions } from '@tanstack/react-query'
import type { SignInOptions } from '../../../src/people/sessions/api.ts'
import { request } from '../api/client.ts'
import { SIGN_IN_OPTIONS } from '../api/queries.ts'

export const signInOptionsQuery = queryOptions({
  queryKey: [SIGN_IN_OPTIONS],
  // The contract describes the answer.
  queryFn: async () => (await (await request('/api/auth/login', { method: 'GET' })).json()) as SignInOptions,
})
