module github.com/aws/aws-sdk-go-v2/service/lambda

go 1.26.0
