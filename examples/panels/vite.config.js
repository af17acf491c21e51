import { defineConfig } from 'vite';

// The addresses that `npm start` listens on, and the stand-in of `public`; set the variables when you build for another place.
process.env.VITE_SERVICE_URL ??= 'http://127.0.0.1:3000';
process.env.VITE_UPSTREAM_URL ??= 'http://127.0.0.1:3010';
process.env.VITE_SIGN_IN_URL ??= 'http://127.0.0.1:3011/demo/sign-in';
process.env.VITE_PANELS_URL ??= 'http://localhost:5174/panels/SeekApi.js';

// The origin of this page must be in the service's CORS_ORIGINS, so the port does not move.
export default defineConfig({ server: { port: 5174, strictPort: true } });
