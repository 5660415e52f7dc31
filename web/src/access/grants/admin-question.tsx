/** The question before a user or a group gets the role of administrators everywhere. */
import { createStore, useStore } from '../../api/store.ts'
import { Confirm } from '../../ui/layers.tsx'

const ADMIN_ROLE_ID = 'role-admin'

type Question = { readonly name: string; readonly answer: (isConfirmed: boolean) => void }
const asked = createStore<Question | undefined>(undefined)

type Wanted = { readonly role_id: string; readonly scope_id?: string | null | undefined }

/** Asks if the role is that of administrators, everywhere. @returns false if the user has declined */
export const confirmAdmin = async ({ role_id, scope_id }: Wanted, name: string): Promise<boolean> =>
  role_id !== ADMIN_ROLE_ID || Boolean(scope_id) || new Promise((answer) => asked.set({ name, answer }))

/** Shows the question of `confirmAdmin`. */
export const AdminQuestion = () => {
  const question = useStore(asked)
  if (!question) return null
  return (
    <Confirm
      title={`Make ${question.name} an administrator of everything?`}
      action="Make administrator"
      onConfirm={() => question.answer(true)}
      onClose={() => {
        // The answer of a confirmation stays.
        question.answer(false)
        asked.set(undefined)
      }}
    >
      Administrators change and delete everything, also users, roles and the settings of the server.
    </Confirm>
  )
}
