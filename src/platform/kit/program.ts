// What an operator types to run a command. In a clone, npm finds a Node release that can run it. The npm package has a command of its
// own, and contains JavaScript instead of TypeScript.

const isPackage = import.meta.filename.endsWith('.js')

export const program = isPackage ? 'cartwright' : 'npm run -s cartwright --'

export const startCommand = isPackage ? 'cartwright serve' : 'npm start'
