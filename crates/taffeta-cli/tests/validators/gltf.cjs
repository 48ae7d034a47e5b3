// Validates a binary glTF file with the Khronos validator, which must be found through NODE_PATH: node gltf.cjs FILE.
const fs = require("fs");
const validator = require("gltf-validator");

validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2]))).then((report) => {
  const { numErrors, numWarnings, messages } = report.issues;
  if (numErrors + numWarnings > 0) {
    console.error(JSON.stringify(messages, null, 1));
    process.exit(1);
  }
  // What nobody else can say: that the frames are where they were told to be.
  console.log(JSON.stringify(report.info));
});
