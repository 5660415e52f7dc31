/** Loads the code of forms, which no list needs before one is opened. */
let form: typeof import('./resource-form.tsx') | undefined

export const loadForm = async () => {
  form ??= await import('./resource-form.tsx')
  return form
}

/** Returns the form if its code is loaded: a lazy one draws its fallback first, and letters typed then are lost. */
export const getLoadedForm = () => form?.ResourceForm
