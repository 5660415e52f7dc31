/** Loads the code of forms, which no list needs before one is opened. */
export const loadForm = () => import('./resource-form.tsx')
