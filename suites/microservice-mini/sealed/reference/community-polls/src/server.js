import { app } from "./app.js";

const port = Number(process.env.PORT ?? 8105);
const host = process.env.HOST ?? "127.0.0.1";

app.listen(port, host, (error) => {
  if (error) throw error;
  console.log(`community polls on http://${host}:${port}`);
});
